import { scanObject } from '../../types/values/json_text.ts';
import { apiError } from './api_error.ts';

/** JSON as it was sent, with all digits of its numbers. It is passed on and never parsed. */
export class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** How many members the objects of a JSON value have. */
function countMembers(json: unknown): number {
  if (typeof json !== 'object' || json === null) return 0;
  const values = Object.values(json);
  return values.reduce<number>((count, value) => count + countMembers(value), Array.isArray(json) ? 0 : values.length);
}

/**
 * A member of a body as it was sent. A parser that keeps digits takes ten times as long as JSON.parse, and anybody may
 * send a body. `json` must be what JSON.parse has made of the text, within the limits of a body.
 */
export function rawMember(text: string, json: object, name: string): RawJson {
  const { member, count } = scanObject(text, name);
  // Of members of one name JSON.parse has taken the last.
  if (count !== countMembers(json)) {
    throw apiError('request_invalid', 'The body has an object with two members of one name.');
  }
  return new RawJson(member);
}

/** JSON of an object of which members may be RawJson. */
export function losslessJson(args: object): string {
  const members = Object.entries(args).filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${JSON.stringify(name)}:${value instanceof RawJson ? value.text : JSON.stringify(value)}`);
  return `{${members.join(',')}}`;
}
