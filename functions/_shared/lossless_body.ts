import { parse, stringify } from 'lossless-json';
import { apiError } from './api_error.ts';

/** The JSON of a body whose numbers keep all their digits. The text must be one that `readJson` has read. */
export function parseLossless(text: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    // JSON.parse has read the text, and of members of one name has taken the last. This parser takes none of them.
    throw apiError('request_invalid', 'The body has an object with two members of one name.', { cause });
  }
}

/** JSON of what may hold numbers that `parseLossless` has read, which JSON.stringify does not know. */
export const losslessJson = (json: object): string => stringify(json) ?? '{}';
