import { parse } from 'lossless-json';
import type { LosslessJson } from './value.ts';

/** The limits of a JSON text. They bound the time and memory that reading it costs. */
export interface JsonLimits {
  characters: number;
  /** Arrays and objects within each other. */
  depth: number;
  /** Values, including those inside other values. */
  members: number;
}

/** A JSON text is too large, too deep or has too many members to be read. */
export class JsonLimitError extends Error {
  override name = 'JsonLimitError';
}

const QUOTE = 34;
const COMMA = 44;
const OPENING_BRACKET = 91;
const BACKSLASH = 92;
const CLOSING_BRACKET = 93;
const OPENING_BRACE = 123;
const CLOSING_BRACE = 125;

/** The position after the string whose text begins at `from`. */
export function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at++;
  }
  return text.length;
}

/**
 * Throws a JsonLimitError as soon as a text exceeds a limit. It builds no values, so it is cheap where a parser would
 * fill the memory first. It does not check whether the text is JSON.
 */
export function checkJsonText(text: string, limits: JsonLimits): void {
  if (text.length > limits.characters) {
    throw new JsonLimitError(`is larger than ${limits.characters} characters`);
  }
  let depth = 0;
  let members = 1;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    at++;
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) depth--;
    else if (code === OPENING_BRACKET || code === OPENING_BRACE) {
      depth++;
      members++;
    } else if (code === COMMA) members++;
    if (depth > limits.depth) throw new JsonLimitError(`is nested deeper than ${limits.depth} levels`);
    if (members > limits.members) throw new JsonLimitError(`holds more than ${limits.members} values`);
  }
}

/**
 * Parses JSON without loss of digits, within limits. Throws a JsonLimitError, or the parser's error for a text that is
 * not JSON.
 */
export function parseLosslessJson(text: string, limits: JsonLimits): LosslessJson {
  checkJsonText(text, limits);
  // SAFETY: without a reviver and number parser of its own, the parser gives JSON with LosslessNumber for its numbers.
  return parse(text) as LosslessJson;
}
