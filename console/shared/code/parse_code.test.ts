import { expect, test } from 'vitest';
import { parseCode, type ParseTask } from './parse_code.ts';

test.for<[language: ParseTask['language'], source: string, place: [line: number, column: number], reason: RegExp]>([
  ['rhai', 'let a = 1;\nlet b = (2 +;', [2, 13], /;/],
  ['javascript', 'const a = 1;\nreturn a +;', [2, 11], /SyntaxError/],
  ['javascript', 'const a: number = 1;\nreturn a as;', [2, 12], /SyntaxError/],
  ['javascript', 'let amount = 1;', [1, 12], /redefinition/],
  ['jsonata', 'orders[\n  0', [2, 3], /Expected/],
])('%s: a fault of %j has its place', async ([language, source, [line, column], reason]) => {
  const faults = await parseCode({ language, source, inputs: ['amount'] });
  expect(faults).toEqual([{ line, column, message: expect.stringMatching(reason) }]);
});

test.for<[language: ParseTask['language'], source: string]>([
  ['rhai', 'let a = [1, 2]; a.len()'],
  ['javascript', 'interface Order { price: number }\nreturn await amount;'],
  ['jsonata', '$sum(orders.price)'],
])('%s: %j has no fault', async ([language, source]) => {
  expect(await parseCode({ language, source, inputs: ['amount'] })).toEqual([]);
});
