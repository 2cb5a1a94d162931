import { parse } from 'lossless-json';
import type { LosslessJson } from './value.ts';

/** The limits of a JSON text, which bound the time and the memory for reading the text. */
export interface JsonLimits {
  characters: number;
  /** Nesting depth of arrays and objects. */
  depth: number;
  /** Number of values, including those inside other values. */
  members: number;
}

/** The error of a JSON text that is too large, too deep or has too many members. */
export class JsonLimitError extends Error {
  override name = 'JsonLimitError';
}

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPENING_BRACKET = 91;
const BACKSLASH = 92;
const CLOSING_BRACKET = 93;
const OPENING_BRACE = 123;
const CLOSING_BRACE = 125;

/** Returns the position after the closing quote of a string. `from` is the position after the opening quote. */
function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at++;
  }
  return text.length;
}

/**
 * Throws a JsonLimitError as soon as a text exceeds a limit. This check builds no values, so it is cheap even for a
 * text whose values would fill the memory. It does not check whether the text is JSON.
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
 * Returns the text of a member of a JSON object (`member`), and how many members all objects in the text have
 * (`count`). The text must be valid JSON. If several members of the object have this name, returns the last one.
 */
export function scanObject(text: string, name: string): { member: string; count: number } {
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

/**
 * Parses JSON without loss of digits, within limits. Throws a JsonLimitError, or the parser's error for a text that is
 * not JSON.
 */
export function parseLosslessJson(text: string, limits: JsonLimits): LosslessJson {
  checkJsonText(text, limits);
  // SAFETY: without a reviver and a number parser, the result is JSON with a LosslessNumber for each number.
  return parse(text) as LosslessJson;
}
