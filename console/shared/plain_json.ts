import type { Value, ValueMap } from 'flow-deployments-client';
import { digitsOf, JSON_NUMBER } from './exact_json.ts';
import { isObject } from './graph/drawn_node.ts';

const WHOLE = new Set(['U', 'I', 'U1', 'I1']);
const NUMBERS = new Set([...WHOLE, 'F', 'D']);
const TEXTS = new Set(['S', 'B3', 'B6', 'BY']);

const { rawJSON } = JSON as unknown as { rawJSON?: (text: string) => unknown };

/**
 * Returns a number that `JSON.stringify` writes with all its digits. If the digits are not a JSON number, returns a
 * text.
 */
function plainNumber(digits: string): unknown {
  const number = Number(digits);
  if (String(number) === digits) return number;
  return rawJSON !== undefined && JSON_NUMBER.test(digits) ? rawJSON(digits) : digits;
}

/** Returns the tag and the content of a tagged value; undefined for anything else. */
function untag(value: unknown): [tag: string, content: unknown] | undefined {
  const entries = isObject(value) ? Object.entries(value) : [];
  return entries.length === 1 ? entries[0] : undefined;
}

/** Converts a tagged value to plain JSON. Keys and bytes become texts. Anything else stays as it is. */
export function plainOf(value: unknown): unknown {
  const [tag = '', content] = untag(value) ?? [];
  if (tag === 'N') return null;
  if (tag === 'A' && Array.isArray(content)) return content.map(plainOf);
  if (tag === 'M' && isObject(content)) return plainMap(content);
  if (NUMBERS.has(tag) && typeof content === 'string') return plainNumber(content);
  return tag === 'B' || TEXTS.has(tag) ? content : value;
}

/** Converts tagged values by name to plain JSON. */
const plainMap = (values: { [name: string]: unknown }): { [name: string]: unknown } =>
  Object.fromEntries(Object.entries(values).map(([name, member]) => [name, plainOf(member)]));

/** Writes a tagged value as plain JSON with indentation. */
export const plainText = (value: unknown): string => JSON.stringify(plainOf(value), undefined, 2) ?? '';

/** The most characters of a value beside a port or an edge. */
const SHORT = 24;

const cut = (text: string, length: number): string => text.length > length ? `${text.slice(0, length - 1)}…` : text;

/** Describes a tagged value in a few characters. */
export function shortText(value: unknown): string {
  const [tag, content] = untag(value) ?? [];
  if (tag === 'A' && Array.isArray(content)) return content.length === 1 ? '1 element' : `${content.length} elements`;
  if (tag === 'M' && isObject(content)) return cut(`{${Object.keys(content).slice(0, 9).join(', ')}}`, SHORT);
  if (typeof content === 'string') return content === '' ? 'empty text' : cut(content.slice(0, 200), SHORT);
  return cut(JSON.stringify(plainOf(value)) ?? '', SHORT);
}

/** The tag of a number that a person has typed. */
function numberTag(digits: string, before: string | undefined): string {
  const isWhole = /^-?\d+$/.test(digits);
  if (before === 'F' || before === 'D') return before;
  if (!isWhole) return 'D';
  if (before !== undefined && WHOLE.has(before) && (!digits.startsWith('-') || before.startsWith('I'))) return before;
  return digits.startsWith('-') ? 'I' : 'U';
}

/**
 * Converts plain JSON to a tagged value. If the value replaces a former value, it gets the tags of the former value
 * where they fit: a text that replaces a public key becomes a public key. Without a former tag, whole numbers become
 * integers, and other numbers decimals.
 */
export function tagLike(plain: unknown, former?: unknown): Value {
  const [tag, content] = untag(former) ?? [];
  if (plain === null) return { N: 0 };
  if (typeof plain === 'boolean') return { B: plain };
  // SAFETY: each tag fits the JavaScript type of its content. The backend checks the content itself.
  if (typeof plain === 'string') {
    const isNumber = tag !== undefined && NUMBERS.has(tag) && content === plain;
    return { [isNumber || (tag !== undefined && TEXTS.has(tag)) ? tag : 'S']: plain } as unknown as Value;
  }
  const digits = digitsOf(plain);
  if (digits !== undefined) return { [numberTag(digits, tag)]: digits } as unknown as Value;
  if (Array.isArray(plain)) {
    const formers: unknown[] = Array.isArray(content) ? content : [];
    return { A: plain.map((member, index) => tagLike(member, formers[index] ?? formers[0])) };
  }
  return { M: tagMapLike(isObject(plain) ? plain : {}, isObject(content) ? content : {}) };
}

/** Converts plain JSON by name to tagged values, as `tagLike` does. */
export const tagMapLike = (plain: { [name: string]: unknown }, former: { [name: string]: unknown }): ValueMap =>
  Object.fromEntries(Object.entries(plain).map(([name, member]) => [name, tagLike(member, former[name])]));
