import { expect, it } from 'vitest';
import {
  checkPatterns,
  filePatterns,
  filesWithPatterns,
  sqlPatterns,
  typeScriptPatterns,
} from '../../dev/checks/patterns.ts';

const sourcesOf = (patterns: { source: string; flags: string }[]) =>
  patterns.map(({ source, flags }) => `/${source}/${flags}`);

it('patterns are read from literals and from RegExp of a text, with their positions', () => {
  const text =
    "const a = /x\\/y/gi;\nz.string().regex(/^a$/);\nnew RegExp('b+', 'u');\nRegExp(`c`);\nconst d = 4 / 2 / 1;";
  const patterns = typeScriptPatterns('a.ts', text);
  expect(sourcesOf(patterns)).toEqual(['/x\\/y/gi', '/^a$/', '/b+/u', '/c/']);
  expect(patterns.map(({ place }) => place)).toEqual(['a.ts:1', 'a.ts:2', 'a.ts:3', 'a.ts:4']);
});

it('a pattern that is built at run time is refused', () => {
  for (const text of ['new RegExp(`a${b}`)', 'RegExp(a)', "new RegExp('a', flags)"]) {
    expect(() => typeScriptPatterns('a.ts', `\n${text}`), text).toThrow(
      "a.ts:2: a RegExp that is computed at run time can't be checked",
    );
  }
});

it("patterns of SQL are read like JavaScript's, but not its comments", () => {
  const sql =
    `select a ~ '^[[:space:]/]$', b !~* 'it''s', substring(a from '^1*'), substring(left(a, 9) from '^2*'), substring(a from 2), a is distinct from 'b'\n  -- ~ '(a*)*'\nfrom t;`;
  expect(sourcesOf(sqlPatterns('a.sql', sql))).toEqual(['/^[\\s/]$/', "/it's/i", '/^1*/', '/^2*/']);
});

it('SQL with a pattern that is no literal, or that is in an unread function, is refused', () => {
  for (const sql of ['a ~ b', "regexp_replace(a, 'b', 'c')", "a similar to 'b'", `'$ ? (@ like_regex "a")'`]) {
    expect(() => sqlPatterns('a.sql', `select ${sql}`), sql).toThrow(/^a\.sql:1: .* can't be checked/);
  }
});

it('the project has patterns in TypeScript and in SQL', async () => {
  const files = (await filesWithPatterns()).filter((file) => filePatterns(file).length > 0);
  expect(files).toEqual(expect.arrayContaining(['types/values/number_text.ts', 'sql/200_values/10_checks.sql']));
});

it('a backtracking pattern is reported with a text that proves it', async () => {
  const place = 'a.ts:1';
  await checkPatterns([{ place, source: '^(?:\\d+(?:\\.\\d*)?)$', flags: '' }]);
  await expect(checkPatterns([{ place, source: '^\\d+\\.?\\d*$', flags: '' }])).rejects.toThrow(
    /^Patterns must take linear time on every text:\na\.ts:1: \/\^\\d\+\\\.\?\\d\*\$\/: 2nd degree polynomial, as on /,
  );
});

it.each(['literal.ts', 'new_reg_exp.ts', 'zod_regex.ts', 'operator.sql', 'substring.sql'])(
  'the backtracking pattern in %s is found',
  async (name) => {
    const patterns = filePatterns(`tests/fixtures/canary/patterns/${name}`);
    await expect(checkPatterns(patterns)).rejects.toThrow('Patterns must take linear time');
  },
);
