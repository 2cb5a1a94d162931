import { endOfString } from '../../types/values/json_text.ts';
import { apiError } from './api_error.ts';

/** JSON as it was sent, with all digits of its numbers. It is passed on and never parsed. */
export class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPENING_BRACKET = 91;
const CLOSING_BRACKET = 93;
const OPENING_BRACE = 123;
const CLOSING_BRACE = 125;

/** The text of a member of the object that a JSON text is, and how many members all its objects have. */
function scanObject(text: string, name: string): { member: string; count: number } {
  let member = '';
  let count = 0;
  let depth = 0;
  let shown = '';
  let from = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    at++;
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (depth === 1 && from === 0) shown = text.slice(at - 1, end);
      at = end;
    } else if (code === COLON) {
      count++;
      if (depth === 1) from = at;
    } else if (code === COMMA || code === CLOSING_BRACE || code === CLOSING_BRACKET) {
      if (depth === 1 && from > 0) {
        if (JSON.parse(shown) === name) member = text.slice(from, at - 1);
        from = 0;
      }
      if (code !== COMMA) depth--;
    } else if (code === OPENING_BRACE || code === OPENING_BRACKET) depth++;
  }
  return { member, count };
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
