import type { Value, ValueMap } from '../../../types/values/value.ts';
import { sameValue } from './same_value.ts';

/** The most inputs that a text names. */
const MAX_NAMED = 10;
/** The most characters of a name or a number in a text. */
const MAX_CHARACTERS = 60;

const shorten = (text: string): string => text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;

/** Describes a value. Quotes only numbers and booleans, because texts may be secrets. */
function describe(value: Value): string {
  if ('N' in value) return 'null';
  if ('B' in value) return String(value.B);
  if ('S' in value) return 'a text';
  if ('A' in value) return `a list of ${value.A.length}`;
  if ('M' in value) return `an object of ${Object.keys(value.M).length}`;
  if ('B3' in value) return 'a key';
  if ('B6' in value || 'BY' in value) return 'bytes';
  return shorten(Object.values(value)[0]!);
}

function describeDifference(before: Value | undefined, now: Value | undefined): string {
  if (before === undefined) return 'had no value';
  if (now === undefined) return `was ${describe(before)} and has no value now`;
  const [was, is] = [describe(before), describe(now)];
  return was === is ? `was ${was} and is another one` : `was ${was} and is ${is}`;
}

/** Describes the inputs of a node that have other values than before. */
export function describeDifferences(before: ValueMap, now: ValueMap): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])]
    .filter((name) => !sameValue(before[name], now[name]));
  const told = names.slice(0, MAX_NAMED).map((name) =>
    `${shorten(name)} ${describeDifference(before[name], now[name])}`
  );
  const more = names.length - told.length;
  return told.join(', ') + (more > 0 ? `, and ${more} more inputs differ` : '');
}
