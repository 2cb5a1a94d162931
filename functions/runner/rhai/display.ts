import { Decimal } from '../../../types/decimal.ts';
import {
  Blob,
  Char,
  Float,
  FnPointer,
  Range,
  RhaiArray,
  RhaiMap,
  type RhaiValue,
  sortedEntries,
  textOf,
  typeName,
} from './values.ts';

/** Floats beyond these are shown with an exponent. */
const MAX_PLAIN_FLOAT = 1e13;
const MIN_PLAIN_FLOAT = 1e-13;

/** Plain decimals of the shortest digits of a small float: toFixed would show those beyond its precision. */
function smallFloatText(size: number): string {
  const [digits = '', exponent = '0'] = String(size).split('e');
  const places = -Number(exponent);
  return `0.${'0'.repeat(places - 1)}${digits.replace('.', '')}`;
}

/** A float as Rhai shows it: `1.0`, `0.1`, `1e20`, `NaN`, `inf`. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  const sign = value < 0 ? '-' : '';
  const size = Math.abs(value);
  if (size === Infinity) return `${sign}inf`;
  if (size === 0) return '0.0';
  if (size > MAX_PLAIN_FLOAT || size < MIN_PLAIN_FLOAT) return value.toExponential().replace('e+', 'e');
  const plain = size < 1e-6 ? smallFloatText(size) : String(size);
  return sign + (plain.includes('.') ? plain : `${plain}.0`);
}

/** A text in quotes, as `debug` and the elements of arrays show it. */
export const quoted = (text: string): string => JSON.stringify(text);

/** A value as text, as `print`, `to_string` and string concatenation show it. */
export function displayText(value: RhaiValue): string {
  if (typeof value === 'string' || value instanceof Char) return textOf(value);
  return value === null ? '' : debugText(value);
}

/** A value as `debug` shows it: texts in quotes. */
export function debugText(value: RhaiValue): string {
  if (value === null) return '()';
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object') return String(value);
  if (value instanceof Float) return floatText(value.value);
  if (value instanceof Decimal) return String(value);
  if (value instanceof Char) return `'${value.text}'`;
  if (value instanceof RhaiArray) return `[${value.items.map(debugText).join(', ')}]`;
  if (value instanceof RhaiMap) {
    return `#{${sortedEntries(value).map(([key, member]) => `${quoted(key)}: ${debugText(member)}`).join(', ')}}`;
  }
  if (value instanceof Blob) {
    return `[${Array.from(value.bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}]`;
  }
  if (value instanceof Range) return `${value.start}${value.isInclusive ? '..=' : '..'}${value.end}`;
  if (value instanceof FnPointer) return `Fn(${value.name})`;
  return typeName(value);
}
