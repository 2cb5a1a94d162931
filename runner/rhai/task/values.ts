import { base64 } from '@scure/base';
import { Decimal } from '../../../types/values/decimal.ts';
import { formatFloat } from '../../../types/values/number_text.ts';
import { bytesToValue, type Value, type ValueMap } from '../../../types/values/value.ts';
import { NodeError } from '../../engine/node.ts';
import { givenArray, givenMap } from '../given.ts';
import { toInt } from '../integers.ts';
import { Blob, Char, Float, isInt, RhaiArray, RhaiMap, type RhaiValue, typeName } from '../values.ts';

function toDecimal(text: string): Decimal {
  const decimal = Decimal.parse(text);
  if (decimal === undefined) throw new NodeError(`${text} must fit a decimal, which has 96 bits`);
  return decimal;
}

/** Reads the float of an `F` value. */
const parseFloatValue = (text: string): number => Number(text.replace('inf', 'Infinity'));

/**
 * Converts a value of a flow for a script. Unsigned and 128-bit integers become decimals, and keys become base58 texts.
 */
export function toScriptValue(value: Value): RhaiValue {
  if ('N' in value) return null;
  if ('S' in value) return value.S;
  if ('B' in value) return value.B;
  if ('I' in value) return toInt(BigInt(value.I));
  if ('F' in value) return new Float(parseFloatValue(value.F));
  if ('D' in value) return toDecimal(value.D);
  if ('U' in value) return toDecimal(value.U);
  if ('U1' in value) return toDecimal(value.U1);
  if ('I1' in value) return toDecimal(value.I1);
  if ('B3' in value) return value.B3;
  if ('B6' in value) return value.B6;
  if ('BY' in value) return new Blob(base64.decode(value.BY));
  if ('A' in value) return givenArray(value.A.map(toScriptValue));
  return givenMap(Object.entries(value.M).map(([name, member]) => [name, toScriptValue(member)] as const));
}

/** Converts a value of a script for a flow. Throws a NodeError if flows have no such type. */
export function fromScriptValue(value: RhaiValue): Value {
  if (value === null) return { N: 0 };
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'boolean') return { B: value };
  if (isInt(value)) return { I: String(value) };
  if (value instanceof Float) return { F: formatFloat(value.value) };
  if (value instanceof Decimal) return { D: String(value) };
  if (value instanceof Char) return { S: value.text };
  if (value instanceof Blob) return bytesToValue(value.bytes);
  if (value instanceof RhaiArray) return { A: value.items.map(fromScriptValue) };
  if (!(value instanceof RhaiMap)) {
    throw new NodeError(`a script's ${typeName(value)} can't be an output, since flows have no values of this type`);
  }
  // The map has no prototype, because a member may be called __proto__.
  const members: ValueMap = Object.create(null);
  for (const [name, member] of value.properties) members[name] = fromScriptValue(member);
  return { M: members };
}
