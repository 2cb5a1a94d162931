import { invalidType, readOptionalField, toText } from '../../types/values/conversion.ts';
import type { Value, ValueMap } from '../../types/values/value.ts';

export type Pair = [name: string, value: string];

function toPair(value: Value): Pair {
  if (!('A' in value) || value.A.length !== 2) throw invalidType(value, 'a pair [name, value]');
  // SAFETY: the line above has checked that the list has two members.
  return value.A.map(toText) as Pair;
}

function toPairs(value: Value): Pair[] {
  if ('A' in value) return value.A.map(toPair);
  if ('M' in value) return Object.entries(value.M).map(([name, member]) => [name, toText(member)]);
  throw invalidType(value, 'a map, or a list of pairs');
}

/** Reads pairs of texts from an input that is a list of pairs or a map; none if the input is missing. */
export const readPairs = (inputs: ValueMap, name: string): Pair[] => readOptionalField(inputs, name, toPairs) ?? [];
