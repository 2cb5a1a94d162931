import { type Decoded, decodeEscapes } from './escapes.ts';
import { needlesOf, toSearchable } from './needles.ts';

const MARK = new TextEncoder().encode('[redacted]');

/** The most levels of nested encodings that are decoded. Percent-encoding in a JSON text has two levels. */
const MAX_ROUNDS = 3;

type Range = [start: number, end: number];

function findAll({ bytes, starts }: Decoded, needles: readonly string[], ranges: Range[]): void {
  const text = toSearchable(bytes);
  for (const needle of needles) {
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) {
      ranges.push([starts[at]!, starts[at + needle.length]!]);
    }
  }
}

/** Joins ranges that overlap, and orders them. */
function joinRanges(ranges: Range[]): Range[] {
  const joined: Range[] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last !== undefined && from < last[1]) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

function replaceRanges(bytes: Uint8Array, ranges: Range[]): Uint8Array {
  const replaced = ranges.reduce((sum, [from, to]) => sum + MARK.length - (to - from), bytes.length);
  const redacted = new Uint8Array(replaced);
  let end = 0;
  let length = 0;
  const append = (part: Uint8Array) => {
    redacted.set(part, length);
    length += part.length;
  };
  for (const [from, to] of ranges) {
    append(bytes.subarray(end, from));
    append(MARK);
    end = to;
  }
  append(bytes.subarray(end));
  return redacted;
}

/** Replaces the needles in the bytes. Returns the given bytes themselves if they contain no needle. */
function redactBytes(bytes: Uint8Array, needles: readonly string[]): Uint8Array {
  const ranges: Range[] = [];
  const starts = new Uint32Array(bytes.length + 1);
  for (let at = 0; at <= bytes.length; at++) starts[at] = at;
  let decoded: Decoded | undefined = { bytes, starts };
  for (let round = 0; round <= MAX_ROUNDS && decoded !== undefined; round++) {
    findAll(decoded, needles, ranges);
    decoded = decodeEscapes(decoded);
  }
  return ranges.length === 0 ? bytes : replaceRanges(bytes, joinRanges(ranges));
}

/** Replaces a secret in texts and bytes that a server sends. */
export interface Redaction {
  text: (text: string) => string;
  bytes: (bytes: Uint8Array) => Uint8Array;
}

/**
 * Makes the redaction of these secrets. The redaction finds a secret unchanged, in base64, hex or UTF-16,
 * percent-encoded, or escaped as in JSON or HTML.
 */
export function makeRedaction(secrets: readonly string[]): Redaction {
  const needles = needlesOf(secrets);
  return {
    text: (text) => {
      const given = new TextEncoder().encode(text);
      const redacted = redactBytes(given, needles);
      return redacted === given ? text : new TextDecoder().decode(redacted);
    },
    bytes: (bytes) => redactBytes(bytes, needles),
  };
}
