import { LosslessNumber } from 'lossless-json';
import type { LosslessJson } from './value.ts';

const QUOTE = 34;
const BACKSLASH = 92;
const OPENING_BRACKET = 91;
const CLOSING_BRACKET = 93;
const OPENING_BRACE = 123;
const CLOSING_BRACE = 125;

/** True for a character that ends a number or a word. */
const isEnd = (code: number): boolean =>
  code === 44 || code === CLOSING_BRACKET || code === CLOSING_BRACE || code <= 32 || Number.isNaN(code);

const WORDS = new Map<string, boolean | null>([['true', true], ['false', false], ['null', null]]);

/**
 * Parses the text of a jsonb value without loss of digits, like lossless-json. lossless-json itself builds each string
 * character by character, with 30 bytes a character: 12 MB of long strings took 780 ms and 375 MB. This parser takes
 * substrings of `text`, so all of `text` stays in memory. Throws a SyntaxError if `text` is not JSON. Does not look for
 * control characters in strings, because jsonb escapes them.
 */
export function parseStoredJson(text: string): LosslessJson {
  let at = 0;
  const fail = (): never => {
    throw new SyntaxError(`not the text of a jsonb value at ${at}`);
  };
  const nextCode = (): number => {
    while (text.charCodeAt(at) <= 32) at++;
    return text.charCodeAt(at);
  };
  const take = (code: number): void => {
    if (nextCode() !== code) fail();
    at++;
  };

  const readString = (): string => {
    const from = at;
    for (at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
      let backslashes = 0;
      while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
      if (backslashes % 2 === 1) continue;
      at++;
      const inner = text.slice(from + 1, at - 1);
      return inner.includes('\\') ? JSON.parse(text.slice(from, at)) as string : inner;
    }
    return fail();
  };
  /** Reads members up to the closing bracket or brace. */
  const readMembers = (closing: number, readMember: () => void): void => {
    at++;
    if (nextCode() !== closing) {
      for (readMember(); nextCode() !== closing; readMember()) take(44);
    }
    at++;
  };
  const readValue = (): LosslessJson => {
    const code = nextCode();
    if (code === QUOTE) return readString();
    if (code === OPENING_BRACKET) {
      const list: LosslessJson[] = [];
      readMembers(CLOSING_BRACKET, () => list.push(readValue()));
      return list;
    }
    if (code === OPENING_BRACE) {
      const map: { [name: string]: LosslessJson } = {};
      readMembers(CLOSING_BRACE, () => {
        if (nextCode() !== QUOTE) fail();
        const name = readString();
        take(58);
        const value = readValue();
        // An assignment to this name would set the prototype.
        if (name === '__proto__') {
          Object.defineProperty(map, name, { value, enumerable: true, writable: true, configurable: true });
        } else map[name] = value;
      });
      return map;
    }
    const from = at;
    while (!isEnd(text.charCodeAt(at))) at++;
    const word = text.slice(from, at);
    const known = WORDS.get(word);
    // The constructor throws for a word that is not a number.
    return known === undefined ? new LosslessNumber(word) : known;
  };

  const value = readValue();
  if (!Number.isNaN(nextCode())) fail();
  return value;
}
