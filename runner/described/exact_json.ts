import { base64 } from '@scure/base';
import { bytesOfValue, type Value } from '../../types/values/value.ts';

const NOT_FINITE = new Set(['NaN', 'inf', '-inf']);

/** Writes a number with all its digits. JSON has no infinities and no NaN, so these become null. */
const numberText = (text: string): string => NOT_FINITE.has(text) ? 'null' : text;

/**
 * Writes a value as JSON for a service: numbers as numbers with all their digits, keys and signatures as base58, other
 * bytes as base64.
 */
export function toExactJson(value: Value): string {
  if ('N' in value) return 'null';
  if ('A' in value) return `[${value.A.map(toExactJson).join(',')}]`;
  if ('M' in value) {
    const members = Object.entries(value.M).map(([name, member]) => `${JSON.stringify(name)}:${toExactJson(member)}`);
    return `{${members.join(',')}}`;
  }
  if ('B' in value) return String(value.B);
  if ('BY' in value || 'B3' in value || 'B6' in value || 'S' in value) return JSON.stringify(toPlainText(value));
  return numberText(Object.values(value)[0] as string);
}

/** Writes a value as a text: texts without quotes, lists and objects as JSON. */
export function toPlainText(value: Value): string {
  if ('S' in value) return value.S;
  if ('N' in value) return '';
  if ('B3' in value) return value.B3;
  if ('B6' in value) return value.B6;
  if ('BY' in value) return base64.encode(bytesOfValue(value) ?? new Uint8Array());
  return toExactJson(value);
}
