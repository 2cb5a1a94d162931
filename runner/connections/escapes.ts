import { utf8 } from './needles.ts';

/** Decoded bytes, each with its place in the original bytes. */
export interface Decoded {
  bytes: Uint8Array;
  /** starts[i] is the place of byte i; starts[bytes.length] is the end of the original bytes. */
  starts: Uint32Array;
}

const code = (letter: string): number => letter.charCodeAt(0);

const PERCENT = code('%');
const BACKSLASH = code('\\');
const AMPERSAND = code('&');
/** The characters that JSON and scripts escape by a backslash alone. */
const ESCAPED = new Set(['/', '"', "'", '\\'].map(code));
const NAMED: [name: string, byte: number][] = [
  ['amp;', AMPERSAND],
  ['lt;', code('<')],
  ['gt;', code('>')],
  ['quot;', code('"')],
  ['apos;', code("'")],
];
/** The most digits of a character reference. */
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

// If a character is escaped as a surrogate pair, the two escapes are not joined. So this escaped form of a secret is
// not found.
const ofCodePoint = (point: number, length: number): Escape | undefined =>
  point < 0 || point > 0x10FFFF ? undefined : { decoded: utf8(String.fromCodePoint(point)), length };

function backslashEscape(bytes: Uint8Array, at: number): Escape | undefined {
  const kind = bytes[at + 1];
  if (kind === undefined) return undefined;
  if (ESCAPED.has(kind)) return { decoded: String.fromCharCode(kind), length: 2 };
  if (kind === code('u')) return ofCodePoint(hexNumber(bytes, at + 2, 4), 6);
  return kind === code('x') ? ofCodePoint(hexNumber(bytes, at + 2, 2), 4) : undefined;
}

function numericReference(bytes: Uint8Array, at: number): Escape | undefined {
  const isHex = bytes[at + 2] === code('x') || bytes[at + 2] === code('X');
  const base = isHex ? 16 : 10;
  const from = at + (isHex ? 3 : 2);
  let end = from;
  let point = 0;
  for (
    let digit = digitOf(bytes[end], base);
    digit >= 0 && end - from < MAX_DIGITS;
    digit = digitOf(bytes[end], base)
  ) {
    point = point * base + digit;
    end++;
  }
  return end > from && bytes[end] === code(';') ? ofCodePoint(point, end + 1 - at) : undefined;
}

function reference(bytes: Uint8Array, at: number): Escape | undefined {
  if (bytes[at + 1] === code('#')) return numericReference(bytes, at);
  for (const [name, byte] of NAMED) {
    let length = 0;
    while (length < name.length && bytes[at + 1 + length] === name.charCodeAt(length)) length++;
    if (length === name.length) return { decoded: String.fromCharCode(byte), length: 1 + length };
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

/**
 * Decodes one level of percent-encoding, escapes of JSON and character references of HTML. Returns undefined if the
 * bytes have no escapes. The function reads the bytes one by one. A body may have a MiB of escapes, and a regular
 * expression would take ten times as long.
 */
export function decodeEscapes({ bytes, starts }: Decoded): Decoded | undefined {
  const decoded = new Uint8Array(bytes.length);
  const places = new Uint32Array(bytes.length + 1);
  let length = 0;
  let at = 0;
  while (at < bytes.length) {
    const found = escapeAt(bytes, at);
    const text = found?.decoded ?? '';
    // The decoded bytes fit into the buffer, because no escape is shorter than its decoded bytes.
    for (let index = 0; index < text.length; index++) {
      decoded[length] = text.charCodeAt(index);
      places[length++] = starts[at]!;
    }
    if (found === undefined) {
      decoded[length] = bytes[at]!;
      places[length++] = starts[at]!;
    }
    at += found?.length ?? 1;
  }
  if (length === bytes.length) return undefined;
  places[length] = starts[bytes.length]!;
  return { bytes: decoded.subarray(0, length), starts: places.subarray(0, length + 1) };
}
