import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';

/** The functions of JSONata, with their parameters. */
const FUNCTIONS: Record<string, string> = {
  sum: 'numbers',
  count: 'array',
  max: 'numbers',
  min: 'numbers',
  average: 'numbers',
  string: 'value, [prettify]',
  substring: 'text, start, [length]',
  substringBefore: 'text, characters',
  substringAfter: 'text, characters',
  lowercase: 'text',
  uppercase: 'text',
  length: 'text',
  trim: 'text',
  pad: 'text, width, [character]',
  match: 'text, pattern, [limit]',
  contains: 'text, pattern',
  replace: 'text, pattern, replacement, [limit]',
  split: 'text, separator, [limit]',
  join: 'texts, [separator]',
  formatNumber: 'number, picture, [options]',
  formatBase: 'number, [radix]',
  formatInteger: 'number, picture',
  parseInteger: 'text, picture',
  number: 'value',
  floor: 'number',
  ceil: 'number',
  round: 'number, [places]',
  abs: 'number',
  sqrt: 'number',
  power: 'base, exponent',
  random: '',
  boolean: 'value',
  not: 'value',
  map: 'array, function',
  zip: 'arrays…',
  filter: 'array, function',
  single: 'array, [function]',
  reduce: 'array, function, [initial]',
  sift: 'object, function',
  keys: 'object',
  lookup: 'object, key',
  append: 'array, array',
  exists: 'value',
  spread: 'object',
  merge: 'objects',
  reverse: 'array',
  each: 'object, function',
  error: '[message]',
  assert: 'condition, [message]',
  type: 'value',
  sort: 'array, [function]',
  shuffle: 'array',
  distinct: 'array',
  base64encode: 'text',
  base64decode: 'text',
  encodeUrlComponent: 'text',
  encodeUrl: 'text',
  decodeUrlComponent: 'text',
  decodeUrl: 'text',
  now: '[picture], [timezone]',
  millis: '',
  toMillis: 'timestamp, [picture]',
  fromMillis: 'number, [picture], [timezone]',
  eval: 'expression, [context]',
};

const OPTIONS = Object.entries(FUNCTIONS).map(([name, parameters]): Completion => ({
  label: `$${name}`,
  type: 'function',
  detail: `(${parameters})`,
}));

/** The names of the functions. */
export const JSONATA_FUNCTIONS = Object.keys(FUNCTIONS);

/** Matches the part of a path before its last name, such as `orders[0].` and `` `a b`. ``. */
const PATH = /(?:(?:`[^`]*`|[A-Za-z_]\w*)(?:\[\d+\])?\.)+\w*$/;

/** Returns the names in the path before the word that is being typed. */
export const pathBefore = (context: CompletionContext): string[] => {
  const { text, from } = context.state.doc.lineAt(context.pos);
  const path = PATH.exec(text.slice(0, context.pos - from))?.[0] ?? '';
  return [...path.matchAll(/(?:`([^`]*)`|([A-Za-z_]\w*))(?:\[\d+\])?\./g)].map(([, quoted, name]) => quoted ?? name!);
};

/** Completes an expression with functions, and with the names in its input value. */
export function completeJsonata(context: CompletionContext, names: readonly string[]): CompletionResult | null {
  const word = context.matchBefore(/\$?\w*/);
  const isMember = word !== null && context.state.sliceDoc(word.from - 1, word.from) === '.';
  if (word === null || (!context.explicit && word.text === '' && !isMember)) return null;
  const given = names.map((label): Completion => ({ label, type: 'variable', boost: 50 }));
  return { from: word.from, options: [...given, ...OPTIONS], validFor: /^\$?\w*$/ };
}
