import { isObject } from '../shared/graph/drawn_node.ts';

/** A whole number as JSON: a number if JavaScript holds it exactly, or else its digits as text. */
const wholeNumber = (digits: string): number | string => Number.isSafeInteger(Number(digits)) ? Number(digits) : digits;

/** A float as JSON: a number, or a text for values that JSON lacks, such as infinity. */
const float = (text: string): number | string => Number.isFinite(Number(text)) ? Number(text) : text;

const NUMBERS: Record<string, (text: string) => number | string> = {
  U: wholeNumber,
  I: wholeNumber,
  U1: wholeNumber,
  I1: wholeNumber,
  F: float,
};

/** Converts a stored tagged value to readable JSON. Decimals, keys and bytes are texts, as in the project's API. */
export function toPlainJson(value: unknown): unknown {
  if (!isObject(value)) return value;
  const [[tag, content] = ['', undefined]] = Object.entries(value);
  if (tag === 'N') return null;
  if (tag === 'A' && Array.isArray(content)) return content.map(toPlainJson);
  if (tag === 'M' && isObject(content)) {
    return Object.fromEntries(Object.entries(content).map(([name, member]) => [name, toPlainJson(member)]));
  }
  return NUMBERS[tag]?.(String(content)) ?? content;
}
