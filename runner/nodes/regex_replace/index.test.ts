import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import { regexReplaceNode } from './index.ts';

const replace = (string: string, pattern: string, replacement: string, more = {}) =>
  runNode(regexReplaceNode, {
    string: { S: string },
    pattern: { S: pattern },
    replacement: { S: replacement },
    ...more,
  });

it.each([
  ['a-b-c', '-', '+', {}, 'a+b+c', '2'],
  ['a-b-c', '-', '+', { first_only: { B: true } }, 'a+b-c', '1'],
  ['Ada Lovelace', '(?P<first>\\w+) (\\w+)', '$2, ${first}; $0 $$1', {}, 'Lovelace, Ada; Ada Lovelace $1', '1'],
  ['a7', 'a(\\d)', '${1}0-${0}', {}, '70-a7', '1'],
  ['ac', 'a(b)?c', '[$1]', {}, '[]', '1'],
  ['abc', 'B', 'x', { ignore_case: { B: true } }, 'axc', '1'],
  ['ab', '', '.', {}, '.a.b.', '3'],
  ['🦊🦊', '🦊', 'f', {}, 'ff', '2'],
  ['abc', 'x', 'y', {}, 'abc', '0'],
])('replaces in %j %j by %j %j', async (text, pattern, replacement, more, result, count) => {
  expect(await replace(text, pattern, replacement, more)).toEqual({ result: { S: result }, count: { U: count } });
});

it.each([
  ['$2', '(a)', 'replacement: $ must be followed by a group of the pattern'],
  ['${b}', '(?P<a>a)', 'replacement: $ must be followed by a group of the pattern'],
  ['${2}', '(a)', 'replacement: $ must be followed by a group of the pattern'],
  ['5 $', 'a', 'replacement: $ must be followed by a group of the pattern'],
  // The match has 1,000 characters. The replacement repeats it 500,000 times, so the result would have 500 MB.
  ['$0'.repeat(500_000), 'a+', 'output_too_large: the result does not fit into an output of 1048576 bytes'],
  ['x'.repeat(100_000), 'a', 'output_too_large: the result does not fit into an output of 1048576 bytes'],
])('refuses a replacement, case %#', async (replacement, pattern, error) => {
  await expect(replace('a'.repeat(1_000), pattern, replacement)).rejects.toThrow(error);
});
