import { parse, stringify } from 'lossless-json';

/** Indents valid JSON. Keeps all digits of numbers, which `JSON.parse` would round. */
export const indentJson = (text: string): string => `${stringify(parse(text), undefined, 2)}\n`;

/** Splits the text of a valid JSON object into the texts of its members, by their names. */
export const membersOf = (text: string): Record<string, string> =>
  Object.fromEntries(Object.entries(parse(text) as object).map(([name, value]) => [name, stringify(value) ?? 'null']));
