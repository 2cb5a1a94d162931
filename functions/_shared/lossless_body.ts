import { scanObject } from '../../types/values/json_text.ts';
import { apiError } from '../../platform/api_error.ts';

/** JSON text as it was sent, with all digits of its numbers. It is forwarded and never parsed. */
export class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Counts the members of all objects in a JSON value. */
function countMembers(json: unknown): number {
  if (typeof json !== 'object' || json === null) return 0;
  const values = Object.values(json);
  return values.reduce<number>((count, value) => count + countMembers(value), Array.isArray(json) ? 0 : values.length);
}

/**
 * Extracts a member's text from a body by a scan. A parser that keeps all digits would take ten times as long as
 * JSON.parse, and anybody may send a body. `json` must be the result of JSON.parse for this text. The text must be
 * within the limits of a body.
 */
export function rawMember(text: string, json: object, name: string): RawJson {
  const { member, count } = scanObject(text, name);
  // If a name is repeated, JSON.parse keeps only its last member. So a difference between the counts shows a repeated
  // name.
  if (count !== countMembers(json)) {
    throw apiError('request_invalid', 'The body has an object with two members of the same name.');
  }
  return new RawJson(member);
}

/** Serializes an object whose members may be RawJson. */
export function losslessJson(args: object): string {
  const members = Object.entries(args).filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${JSON.stringify(name)}:${value instanceof RawJson ? value.text : JSON.stringify(value)}`);
  return `{${members.join(',')}}`;
}
