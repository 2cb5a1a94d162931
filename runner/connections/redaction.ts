import { needlesOf, toLatin1, utf8 } from './needles.ts';

const MARK = '[redacted]';

/** Encodings within each other that are decoded, for example percent-encoding in a JSON text. */
const MAX_ROUNDS = 3;

const NAMED: { [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** A text of which every character knows its place in the text that it was decoded from. */
interface Decoded {
  text: string;
  /** starts[i]: the place of character i; starts[text.length]: the end of the original. */
  starts: Uint32Array;
}

/** An escape at the current place: percent-encoding, an escape of JSON, or a character reference of HTML. */
const ESCAPE =
  /%([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})|\\([/"'\\])|&#([0-9]{1,7});|&#[xX]([0-9a-fA-F]{1,6});|&(amp|lt|gt|quot|apos);/g;

function decodeEscape(found: RegExpMatchArray): string {
  const [, percent, unit, byte, plain, decimal, hexadecimal, name] = found;
  if (percent !== undefined) return String.fromCharCode(Number.parseInt(percent, 16));
  if (plain !== undefined) return plain;
  if (name !== undefined) return NAMED[name] ?? '';
  const code = decimal === undefined ? Number.parseInt(unit ?? byte ?? hexadecimal ?? '', 16) : Number(decimal);
  // Two escapes for the halves of a surrogate pair are not joined: such a secret is found in its other forms.
  return code <= 0x10FFFF ? utf8(String.fromCodePoint(code)) : '';
}

/** Decodes all escapes once; undefined if the text has none. */
function decodeOnce({ text, starts }: Decoded): Decoded | undefined {
  const parts: string[] = [];
  const places: number[] = [];
  let end = 0;
  const copyUntil = (index: number) => {
    parts.push(text.slice(end, index));
    for (let place = end; place < index; place++) places.push(starts[place]!);
  };
  for (const found of text.matchAll(ESCAPE)) {
    copyUntil(found.index);
    const decoded = decodeEscape(found);
    parts.push(decoded);
    for (let place = 0; place < decoded.length; place++) places.push(starts[found.index]!);
    end = found.index + found[0].length;
  }
  if (end === 0) return undefined;
  copyUntil(text.length);
  places.push(starts[text.length]!);
  return { text: parts.join(''), starts: Uint32Array.from(places) };
}

type Range = [start: number, end: number];

function findAll({ text, starts }: Decoded, needle: string, ranges: Range[]): void {
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) {
    ranges.push([starts[at]!, starts[at + needle.length]!]);
  }
}

/** Replaces the ranges, of which some may overlap. */
function replaceRanges(text: string, ranges: Range[]): string {
  if (ranges.length === 0) return text;
  let redacted = '';
  let end = 0;
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (from >= end) redacted += text.slice(end, from) + MARK;
    end = Math.max(end, to);
  }
  return redacted + text.slice(end);
}

function redactLatin1(text: string, needles: readonly string[]): string {
  const starts = Uint32Array.from({ length: text.length + 1 }, (_, index) => index);
  const ranges: Range[] = [];
  let decoded: Decoded | undefined = { text, starts };
  for (let round = 0; round <= MAX_ROUNDS && decoded !== undefined; round++) {
    for (const needle of needles) findAll(decoded, needle, ranges);
    decoded = decodeOnce(decoded);
  }
  return replaceRanges(text, ranges);
}

/** Replaces a secret wherever a server repeats it. */
export interface Redaction {
  text: (text: string) => string;
  bytes: (bytes: Uint8Array) => Uint8Array;
}

/**
 * Makes the redaction of these secrets. It finds them as they are, in base64 and hex, in UTF-16, percent-encoded, and
 * escaped as in JSON or HTML.
 */
export function makeRedaction(secrets: readonly string[]): Redaction {
  const needles = needlesOf(secrets);
  return {
    text: (text) => {
      const given = utf8(text);
      const redacted = redactLatin1(given, needles);
      return redacted === given
        ? text
        : new TextDecoder().decode(Uint8Array.from(redacted, (byte) => byte.charCodeAt(0)));
    },
    bytes: (bytes) => {
      const given = toLatin1(bytes);
      const redacted = redactLatin1(given, needles);
      return redacted === given ? bytes : Uint8Array.from(redacted, (byte) => byte.charCodeAt(0));
    },
  };
}
