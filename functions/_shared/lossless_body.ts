import { scanObject } from '../../types/values/json_text.ts';
import { apiError } from '../../platform/api_error.ts';
import { RawJson } from '../../platform/database/raw_json.ts';

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
