import {
  type Convert,
  invalidValue,
  readOptionalField,
  toDecimal,
  toMap,
  toMember,
} from '../../../types/values/conversion.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { NodeError } from '../../engine/node.ts';

/** Makes a conversion to an integer from `min` to `max`. */
export const integerFrom = (min: number, max: number): Convert<number> => (value) => {
  const number = toDecimal(value).toNumber();
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  throw invalidValue(value, `an integer from ${min} to ${max}`);
};

/**
 * The members of the input `transform`, which describes how Storage changes an image. Source: Supabase documentation,
 * "Storage Image Transformations".
 */
const MEMBERS: { [name: string]: Convert<string | number> } = {
  width: integerFrom(1, 2_500),
  height: integerFrom(1, 2_500),
  quality: integerFrom(20, 100),
  resize: toMember({ cover: 'cover', contain: 'contain', fill: 'fill' }),
  format: toMember({ origin: 'origin' }),
};

/** Reads from the input `transform` how to change an image. Returns undefined if the input is missing. */
export function readTransform(inputs: ValueMap): { [name: string]: string | number } | undefined {
  const given = readOptionalField(inputs, 'transform', toMap);
  if (given === undefined || Object.keys(given).length === 0) return undefined;
  return Object.fromEntries(
    Object.keys(given).map((name) => {
      const convert = Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : undefined;
      if (convert === undefined) throw new NodeError(`transform: takes only ${Object.keys(MEMBERS).join(', ')}`);
      const member = readOptionalField(given, name, convert);
      return member === undefined ? [] : [[name, member] as const];
    }).flat(),
  );
}
