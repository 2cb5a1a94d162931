import { invalidType, readOptionalField, toText } from '../../types/values/conversion.ts';
import { type Value, type ValueMap, valueToText } from '../../types/values/value.ts';

export type Pair = [name: string, value: string];

/** Converts a text, number, boolean or key to the text that a request carries. */
export function toRequestText(value: Value): string {
  if ('B' in value) return String(value.B);
  if ('N' in value || 'A' in value || 'M' in value || 'BY' in value) {
    throw invalidType(value, 'a text, a number, a boolean or a key');
  }
  return valueToText(value);
}

/** Returns the values of one name: a list has several, and null has none. */
function toTexts(value: Value): string[] {
  if ('N' in value) return [];
  return ('A' in value ? value.A : [value]).map(toRequestText);
}

const pairsOf = (name: string, value: Value): Pair[] => toTexts(value).map((text) => [name, text]);

function readPair(value: Value): Pair[] {
  if (!('A' in value) || value.A.length !== 2) throw invalidType(value, 'a pair [name, value]');
  // SAFETY: the line above has checked that the list has two members.
  const [name, given] = value.A as [Value, Value];
  return pairsOf(toText(name), given);
}

function toPairs(value: Value): Pair[] {
  if ('A' in value) return value.A.flatMap(readPair);
  if ('M' in value) return Object.entries(value.M).flatMap(([name, member]) => pairsOf(name, member));
  throw invalidType(value, 'a map, or a list of pairs');
}

/**
 * Reads pairs of texts from an input that is a list of pairs or a map; none if the input is missing. A list as a value
 * repeats its name, and null leaves it out.
 */
export const readPairs = (inputs: ValueMap, name: string): Pair[] => readOptionalField(inputs, name, toPairs) ?? [];

/** Appends parameters to the query of a URL, which stays as it is. */
export function appendParams(url: URL, params: readonly Pair[]): void {
  if (params.length === 0) return;
  const added = new URLSearchParams(params.map(([name, value]) => [name, value])).toString();
  url.search = url.search === '' ? added : `${url.search}&${added}`;
}
