import { Decimal } from '../../types/values/decimal.ts';
import { Blob, Char, Float, FnPointer, Range, RhaiArray, RhaiMap, type RhaiValue, textOf, typeName } from './values.ts';

/**
 * From this size on, floats are shown with an exponent. Rhai stores this limit as a float of 32 bits, which is a little
 * less than 1e13.
 */
const MAX_PLAIN_FLOAT = Math.fround(1e13);
const MIN_PLAIN_FLOAT = Math.fround(1e-13);

/** From this size on, `debug` shows floats with an exponent, like Rust. */
const MAX_PLAIN_DEBUG = 1e16;
const MIN_PLAIN_DEBUG = 1e-4;

/** Formats a small float in decimal notation with as few digits as identify it. `toFixed` would show more digits. */
function smallFloatText(size: number): string {
  const [digits = '', exponent = '0'] = String(size).split('e');
  const places = -Number(exponent);
  return `0.${'0'.repeat(places - 1)}${digits.replace('.', '')}`;
}

const exponentText = (value: number): string => value.toExponential().replace('e+', 'e');

/** Formats a float with at least one decimal. */
function plainText(value: number): string {
  const size = Math.abs(value);
  const plain = size !== 0 && size < 1e-6 ? smallFloatText(size) : String(size);
  return (value < 0 || Object.is(value, -0) ? '-' : '') + (plain.includes('.') ? plain : `${plain}.0`);
}

/** Formats infinity and NaN. */
const specialText = (value: number): string => Number.isNaN(value) ? 'NaN' : value < 0 ? '-inf' : 'inf';

/** Formats a float as `print` shows it: `1.0`, `0.1`, `1e20`, `NaN`, `inf`. */
export function floatText(value: number): string {
  if (!Number.isFinite(value)) return specialText(value);
  const size = Math.abs(value);
  if (size === 0) return '0.0';
  return size > MAX_PLAIN_FLOAT || size < MIN_PLAIN_FLOAT ? exponentText(value) : plainText(value);
}

function floatDebugText(value: number): string {
  if (!Number.isFinite(value)) return specialText(value);
  const size = Math.abs(value);
  return size !== 0 && (size >= MAX_PLAIN_DEBUG || size < MIN_PLAIN_DEBUG) ? exponentText(value) : plainText(value);
}

const SHORT_ESCAPES: Record<string, string> = { '\0': '\\0', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };
// Invisible characters, and characters that combine with the one before them.
const UNPRINTABLE = /[\\\p{C}\p{Grapheme_Extend}]|(?! )\p{Z}/gu;

/** Puts a text between quotes. Quotes in it are escaped. */
const between = (quote: '"' | "'", text: string): string =>
  `${quote}${
    text.replace(
      UNPRINTABLE,
      (character) => SHORT_ESCAPES[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
    ).replaceAll(quote, `\\${quote}`)
  }${quote}`;

/** Quotes a text with Rust's escapes, as `debug` shows it and as arrays show their elements. */
const quoted = (text: string): string => between('"', text);

/** Formats a value as `print`, `to_string` and string concatenation show it. */
export function displayText(value: RhaiValue): string {
  if (typeof value === 'string' || value instanceof Char) return textOf(value);
  if (value instanceof Float) return floatText(value.value);
  return value === null ? '' : debugText(value);
}

/** Formats a value as `debug` shows it, with texts in quotes. */
export function debugText(value: RhaiValue): string {
  if (value === null) return '()';
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object') return String(value);
  if (value instanceof Float) return floatDebugText(value.value);
  if (value instanceof Decimal) return String(value);
  if (value instanceof Char) return between("'", value.text);
  if (value instanceof RhaiArray) return `[${value.items.map(debugText).join(', ')}]`;
  if (value instanceof RhaiMap) {
    return `#{${Array.from(value.properties, ([key, member]) => `${quoted(key)}: ${debugText(member)}`).join(', ')}}`;
  }
  if (value instanceof Blob) {
    const bytes = Array.from(value.bytes, (byte) => byte.toString(16).padStart(2, '0'));
    return `[${bytes.map((byte, index) => index > 0 && index % 8 === 0 ? ` ${byte}` : byte).join('')}]`;
  }
  if (value instanceof Range) return `${value.start}${value.isInclusive ? '..=' : '..'}${value.end}`;
  if (value instanceof FnPointer) return `Fn(${value.name})`;
  return typeName(value);
}
