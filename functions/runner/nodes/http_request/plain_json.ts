import { base58, base64 } from '@scure/base';
import type { Value } from '../../../../types/value.ts';

const INTEGER_MIN = -(2n ** 63n);
const INTEGER_MAX = 2n ** 64n - 1n;

/** An integer that a 64-bit one can hold as it is, else the nearest float. */
const integerText = (text: string): string => {
  const integer = BigInt(text);
  return INTEGER_MIN <= integer && integer <= INTEGER_MAX ? String(integer) : floatText(text);
};

/** JSON has no numbers that are not finite. */
const floatText = (text: string): string => JSON.stringify(Number(text));

const bytesText = (bytes: Uint8Array): string => `[${bytes.join(',')}]`;

/**
 * A value as plain JSON: numbers of 64 bits exactly, others as floats, bytes as arrays of numbers. Text, since JavaScript's numbers
 * would lose digits.
 */
export function valueToJsonText(value: Value): string {
  if ('N' in value) return 'null';
  if ('S' in value) return JSON.stringify(value.S);
  if ('B' in value) return String(value.B);
  if ('U' in value) return value.U;
  if ('I' in value) return value.I;
  if ('U1' in value) return integerText(value.U1);
  if ('I1' in value) return integerText(value.I1);
  if ('F' in value) return floatText(value.F);
  if ('D' in value) return /^-?\d+(\.0*)?$/.test(value.D) ? integerText(value.D.split('.')[0]!) : floatText(value.D);
  if ('B3' in value) return bytesText(base58.decode(value.B3));
  if ('B6' in value) return bytesText(base58.decode(value.B6));
  if ('BY' in value) return bytesText(base64.decode(value.BY));
  if ('A' in value) return `[${value.A.map(valueToJsonText).join(',')}]`;
  return `{${
    Object.entries(value.M).map(([name, member]) => `${JSON.stringify(name)}:${valueToJsonText(member)}`).join(',')
  }}`;
}
