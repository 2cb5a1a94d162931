import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import { regexMatchNode } from './index.ts';

const match = (string: string, pattern: string, ignoreCase = false) =>
  runNode(regexMatchNode, { string: { S: string }, pattern: { S: pattern }, ignore_case: { B: ignoreCase } }, {
    maxOutputBytes: 1_000,
  });

it('outputs the first match with its groups, and all matches', async () => {
  expect(await match('on 2026-11-25 and 2027-01-02', '(?P<year>\\d{4})-(\\d\\d)-(\\d\\d)(x)?')).toEqual({
    matched: { B: true },
    match: { S: '2026-11-25' },
    groups: { A: [{ S: '2026' }, { S: '11' }, { S: '25' }, { N: 0 }] },
    named_groups: { M: { year: { S: '2026' } } },
    matches: { A: [{ S: '2026-11-25' }, { S: '2027-01-02' }] },
  });
});

it('sets no match where there is none', async () => {
  expect(await match('ABC', 'b')).toEqual({ matched: { B: false }, matches: { A: [] } });
});

it.each([
  ['ABC', 'b', true, ['B']],
  ['a🦊', '.', false, ['a', '🦊']],
  ['aaa', 'a*?', false, ['', '', '', '']],
  // By backtracking, a search for one of these patterns would take exponential time.
  [`${'a'.repeat(5_000)}!`, '(a+)+$', false, []],
  ['xay', '(?:a|b)', false, ['a']],
])('finds all matches, case %#', async (text, pattern, ignoreCase, found) => {
  expect(await match(text, pattern, ignoreCase)).toMatchObject({ matches: { A: found.map((S) => ({ S })) } });
});

const NO_PATTERN = 'pattern: is not a regular expression of RE2: ';

it.each([
  [NO_PATTERN, 'an open group', 'a', '('],
  [NO_PATTERN, 'a look ahead', 'a', '(?=a)'],
  [NO_PATTERN, 'a reference back', 'a', '(a)\\1'],
  [NO_PATTERN, 'a million repetitions', 'a', '((a{100}){100}){100}'],
  ['pattern: must have at most 500 characters', 'a long pattern', 'a', 'a'.repeat(501)],
  ['string: must have at most ', 'a text that is too long for it', 'a'.repeat(1_000_000), '(a?){30}'],
  ["output_too_large: the matches don't fit into an output of 1000 bytes", 'many matches', 'a'.repeat(200), 'a'],
])('answers %s for %s', async (error, _, text, pattern) => {
  await expect(match(text, pattern)).rejects.toThrow(error);
});
