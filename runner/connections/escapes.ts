import { utf8 } from './needles.ts';
import { type GiveWay, inPortions } from '../../platform/portions.ts';

/** Decoded bytes, and for each the begin and the end of its place in the original bytes. */
export interface Decoded {
  bytes: Uint8Array;
  begins: Uint32Array;
  ends: Uint32Array;
}

const code = (letter: string): number => letter.charCodeAt(0);

const PERCENT = code('%');
const BACKSLASH = code('\\');
const AMPERSAND = code('&');
/** What the character behind a backslash means in JSON and scripts. */
const ESCAPED = new Map(
  Object.entries({ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', '/': '/', '"': '"', "'": "'", '\\': '\\', '`': '`' })
    .map(([letter, meant]) => [code(letter), meant]),
);
/** References to characters of ASCII by name. HTML does not need the semicolon behind the first ones. */
const NAMED: [name: string, meant: string][] = Object.entries({
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: ' ',
  'apos;': "'",
  'excl;': '!',
  'num;': '#',
  'dollar;': '$',
  'percnt;': '%',
  'lpar;': '(',
  'rpar;': ')',
  'ast;': '*',
  'midast;': '*',
  'plus;': '+',
  'comma;': ',',
  'period;': '.',
  'sol;': '/',
  'colon;': ':',
  'semi;': ';',
  'equals;': '=',
  'quest;': '?',
  'commat;': '@',
  'lsqb;': '[',
  'lbrack;': '[',
  'bsol;': '\\',
  'rsqb;': ']',
  'rbrack;': ']',
  'Hat;': '^',
  'lowbar;': '_',
  'UnderBar;': '_',
  'grave;': '`',
  'lcub;': '{',
  'lbrace;': '{',
  'verbar;': '|',
  'vert;': '|',
  'rcub;': '}',
  'rbrace;': '}',
  'Tab;': '\t',
  'NewLine;': '\n',
});
/** The most digits of a character reference, without zeros before them. */
const MAX_DIGITS = 7;

/** Returns the value of a digit of this base, or -1. */
function digitOf(byte: number | undefined, base: number): number {
  if (byte === undefined) return -1;
  // A letter in lower case has bit 5.
  const value = byte < 58 ? byte - 48 : (byte | 32) - 87;
  const isLetter = byte >= 58;
  return value >= (isLetter ? 10 : 0) && value < base ? value : -1;
}

/** Reads a number of `count` hex digits; -1 if the bytes are not hex digits. */
function hexNumber(bytes: Uint8Array, from: number, count: number): number {
  let number = 0;
  for (let index = from; index < from + count; index++) {
    const digit = digitOf(bytes[index], 16);
    if (digit < 0) return -1;
    number = number * 16 + digit;
  }
  return number;
}

/** An escape. `decoded` has the bytes for which it stands, and `length` counts the bytes of the escape itself. */
interface Escape {
  decoded: string;
  length: number;
}

const ofCodePoint = (point: number, length: number): Escape | undefined =>
  point < 0 || point > 0x10FFFF ? undefined : { decoded: utf8(String.fromCodePoint(point)), length };

/** Reads a number of digits behind any zeros. Returns -1 for `point` if there is no digit. */
function readDigits(bytes: Uint8Array, from: number, base: number): { point: number; end: number } {
  let begin = from;
  while (bytes[begin] === code('0')) begin++;
  let end = begin;
  let point = 0;
  for (
    let digit = digitOf(bytes[end], base);
    digit >= 0 && end - begin < MAX_DIGITS;
    digit = digitOf(bytes[end], base)
  ) {
    point = point * base + digit;
    end++;
  }
  return { point: end > from ? point : -1, end };
}

function unicodeEscape(bytes: Uint8Array, at: number): Escape | undefined {
  if (bytes[at + 2] === code('{')) {
    const { point, end } = readDigits(bytes, at + 3, 16);
    return bytes[end] === code('}') ? ofCodePoint(point, end + 1 - at) : undefined;
  }
  const unit = hexNumber(bytes, at + 2, 4);
  const isPair = unit >= 0xD800 && unit < 0xDC00 && bytes[at + 6] === BACKSLASH && bytes[at + 7] === code('u');
  const second = isPair ? hexNumber(bytes, at + 8, 4) : -1;
  return second >= 0xDC00 && second < 0xE000
    ? ofCodePoint((unit - 0xD800) * 1_024 + second - 0xDC00 + 0x10000, 12)
    : ofCodePoint(unit, 6);
}

function backslashEscape(bytes: Uint8Array, at: number): Escape | undefined {
  const kind = bytes[at + 1];
  if (kind === undefined) return undefined;
  const meant = ESCAPED.get(kind);
  if (meant !== undefined) return { decoded: meant, length: 2 };
  if (kind === code('u')) return unicodeEscape(bytes, at);
  return kind === code('x') ? ofCodePoint(hexNumber(bytes, at + 2, 2), 4) : undefined;
}

/** Returns the length of an escape that may end with a semicolon. */
const lengthTo = (bytes: Uint8Array, at: number, end: number): number =>
  (bytes[end] === code(';') ? end + 1 : end) - at;

function numericReference(bytes: Uint8Array, at: number): Escape | undefined {
  const isHex = bytes[at + 2] === code('x') || bytes[at + 2] === code('X');
  const { point, end } = readDigits(bytes, at + (isHex ? 3 : 2), isHex ? 16 : 10);
  return ofCodePoint(point, lengthTo(bytes, at, end));
}

function reference(bytes: Uint8Array, at: number): Escape | undefined {
  if (bytes[at + 1] === code('#')) return numericReference(bytes, at);
  for (const [name, meant] of NAMED) {
    let length = 0;
    while (length < name.length && bytes[at + 1 + length] === name.charCodeAt(length)) length++;
    if (length === name.length) return { decoded: meant, length: lengthTo(bytes, at, at + 1 + length) };
  }
  return undefined;
}

function percentEscape(bytes: Uint8Array, at: number): Escape | undefined {
  const byte = hexNumber(bytes, at + 1, 2);
  return byte < 0 ? undefined : { decoded: String.fromCharCode(byte), length: 3 };
}

/** Reads the escape that begins at this place; undefined if none begins here. */
function escapeAt(bytes: Uint8Array, at: number): Escape | undefined {
  switch (bytes[at]) {
    case PERCENT:
      return percentEscape(bytes, at);
    case BACKSLASH:
      return backslashEscape(bytes, at);
    case AMPERSAND:
      return reference(bytes, at);
    default:
      return undefined;
  }
}

/** Makes a table that has 1 for these bytes. */
function tableOf(letters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (let index = 0; index < letters.length; index++) table[letters.charCodeAt(index)] = 1;
  return table;
}

const ESCAPING = '%\\&';
const BREAKING = '\r\n';

/**
 * Makes a view of bytes by reading them one by one. A body may have a MiB of escapes, and a regular expression would
 * take ten times as long. `read` returns what stands at a place with one of the special bytes: the bytes that it means and its length, or undefined
 * for a byte that means itself. Returns undefined if every byte means itself.
 */
async function makeView(
  { bytes, begins, ends }: Decoded,
  special: string,
  read: (at: number) => Escape | undefined,
  giveWay: GiveWay,
): Promise<Decoded | undefined> {
  const isSpecial = tableOf(special);
  // `includes` of a byte is twenty times as fast as a callback for each byte.
  if (![...special].some((letter) => bytes.includes(letter.charCodeAt(0)))) return undefined;
  const decoded = new Uint8Array(bytes.length);
  const places = { begins: new Uint32Array(bytes.length), ends: new Uint32Array(bytes.length) };
  let length = 0;
  let at = 0;
  let isSame = true;
  await inPortions(bytes.length, giveWay, (_from, to) => {
    while (at < to) {
      const found = isSpecial[bytes[at]!] === 1 ? read(at) : undefined;
      if (found === undefined) {
        decoded[length] = bytes[at]!;
        places.begins[length] = begins[at]!;
        places.ends[length++] = ends[at++]!;
        continue;
      }
      const end = at + found.length;
      // The decoded bytes fit into the buffer, because no escape is shorter than its decoded bytes.
      for (let index = 0; index < found.decoded.length; index++) {
        decoded[length] = found.decoded.charCodeAt(index);
        places.begins[length] = begins[at]!;
        places.ends[length++] = ends[end - 1]!;
      }
      at = end;
      isSame = false;
    }
  });
  if (isSame) return undefined;
  return {
    bytes: decoded.subarray(0, length),
    begins: places.begins.subarray(0, length),
    ends: places.ends.subarray(0, length),
  };
}

/**
 * Decodes one level of percent-encoding, escapes of JSON and scripts, and character references of HTML. Returns
 * undefined if the bytes have no escapes.
 */
export const decodeEscapes = (given: Decoded, giveWay: GiveWay): Promise<Decoded | undefined> =>
  makeView(given, ESCAPING, (at) => escapeAt(given.bytes, at), giveWay);

const isSpace = (byte: number | undefined): boolean => byte === 32 || (byte !== undefined && byte >= 9 && byte <= 13);

/**
 * Removes line breaks with the blanks behind them, because base64 may be broken into lines. Returns undefined if the
 * bytes have no line break.
 */
export async function joinLines(given: Decoded, giveWay: GiveWay): Promise<Decoded | undefined> {
  const { bytes } = given;
  const gap = (at: number): Escape => {
    let end = at + 1;
    while (isSpace(bytes[end])) end++;
    return { decoded: '', length: end - at };
  };
  return await makeView(given, BREAKING, gap, giveWay);
}
