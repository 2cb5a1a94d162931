import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import { untimedScripts } from '../../../tests/support/untimed_scripts.ts';
import { fromWireJsonText } from '../../../types/values/json/wire_json.ts';
import { jsonataNode } from './index.ts';

/** One call of each function, and its result as JSON. */
const CALLS: { [name: string]: [expression: string, result: string] } = {
  sum: ['$sum([1, 2.5])', '3.5'],
  count: ['$count([1, 2])', '2'],
  max: ['$max([1, 2])', '2'],
  min: ['$min([1, 2])', '1'],
  average: ['$average([1, 2])', '1.5'],
  string: ['$string({"a": 1})', String.raw`"{\"a\":1}"`],
  substring: ['$substring("abc", 1)', '"bc"'],
  substringBefore: ['$substringBefore("a-b", "-")', '"a"'],
  substringAfter: ['$substringAfter("a-b", "-")', '"b"'],
  lowercase: ['$lowercase("A")', '"a"'],
  uppercase: ['$uppercase("a")', '"A"'],
  length: ['$length("abc")', '3'],
  trim: ['$trim("  a  b ")', '"a b"'],
  pad: ['$pad("a", -3, "#")', '"##a"'],
  match: ['$match("ab12", /[a-z]+/).match', '"ab"'],
  contains: ['$contains("abc", /b/)', 'true'],
  replace: ['$replace("abc", /b/, "x")', '"axc"'],
  split: ['$split("a,b", ",")', '["a", "b"]'],
  join: ['$join(["a", "b"], "-")', '"a-b"'],
  formatNumber: ['$formatNumber(1234.5, "#,##0.00")', '"1,234.50"'],
  formatBase: ['$formatBase(255, 16)', '"ff"'],
  formatInteger: ['$formatInteger(12, "w")', '"twelve"'],
  parseInteger: ['$parseInteger("twelve", "w")', '12'],
  number: ['$number("0x1F")', '31'],
  floor: ['$floor(1.5)', '1'],
  ceil: ['$ceil(1.5)', '2'],
  round: ['$round(2.345, 2)', '2.34'],
  abs: ['$abs(-1)', '1'],
  sqrt: ['$sqrt(4)', '2'],
  power: ['$power(2, 3)', '8'],
  random: ['$random() < 1', 'true'],
  boolean: ['$boolean([0])', 'false'],
  not: ['$not(0)', 'true'],
  map: ['$map([1, 2], function($v) { $v + 1 })', '[2, 3]'],
  zip: ['$zip([1, 2], [3, 4])', '[[1, 3], [2, 4]]'],
  filter: ['$filter([1, 2, 3], function($v) { $v > 1 })', '[2, 3]'],
  single: ['$single([1, 2], function($v) { $v > 1 })', '2'],
  reduce: ['$reduce([1, 2, 3], function($a, $b) { $a + $b })', '6'],
  sift: ['$sift({"a": 1, "b": 2}, function($v) { $v > 1 })', '{"b": 2}'],
  keys: ['$keys({"a": 1, "b": 2})', '["a", "b"]'],
  lookup: ['$lookup({"a": 1}, "a")', '1'],
  append: ['$append([1], 2)', '[1, 2]'],
  exists: ['$exists(missing)', 'false'],
  spread: ['$spread({"a": 1, "b": 2})', '[{"a": 1}, {"b": 2}]'],
  merge: ['$merge([{"a": 1}, {"b": 2}])', '{"a": 1, "b": 2}'],
  reverse: ['$reverse([1, 2])', '[2, 1]'],
  each: ['$each({"a": 1, "b": 2}, function($v, $k) { $k & $v })', '["a1", "b2"]'],
  error: ['$error("no")', 'no (character 7)'],
  assert: ['$assert(false, "no")', 'no (character 8)'],
  type: ['$type(1)', '"number"'],
  sort: ['$sort([10, 9, 1])', '[1, 9, 10]'],
  shuffle: ['$count($shuffle([1, 2, 3]))', '3'],
  distinct: ['$distinct([1, 1, 2])', '[1, 2]'],
  base64encode: ['$base64encode("user:p\u00e4ss")', '"dXNlcjpw5HNz"'],
  base64decode: ['$base64decode("dXNlcjpw5HNz")', '"user:p\u00e4ss"'],
  encodeUrlComponent: ['$encodeUrlComponent("a b&c")', '"a%20b%26c"'],
  encodeUrl: ['$encodeUrl("https://a.b/c d?e=f")', '"https://a.b/c%20d?e=f"'],
  decodeUrlComponent: ['$decodeUrlComponent("a%20b%26c")', '"a b&c"'],
  decodeUrl: ['$decodeUrl("https://a.b/c%20d")', '"https://a.b/c d"'],
  eval: ['$eval("1 + 2")', '3'],
  toMillis: ['$toMillis("2026-01-02T03:04:05Z")', '1767323045000'],
  fromMillis: ['$fromMillis(1767323045000, "[D01].[M01].[Y0001]")', '"02.01.2026"'],
  clone: ['$clone({"a": [1]})', '{"a": [1]}'],
  now: ['$length($now())', '24'],
  millis: ['$millis() > 1767323045000', 'true'],
};

const run = (expression: string) =>
  runNode(jsonataNode, { expression: { S: expression } }, { scripts: untimedScripts });

it.each(Object.values(CALLS))('%s', async (expression, result) => {
  const outputs = await run(expression).catch(({ message }) => message);
  expect(outputs).toEqual(typeof outputs === 'string' ? result : { result: fromWireJsonText(result, 1_000) });
});

it('no function of the package is left out', () => {
  const source = readFileSync(createRequire(import.meta.url).resolve('jsonata'), 'utf8');
  const names = [...source.matchAll(/\b(?:staticFrame|environment)\.bind\('(\w+)'/g)].map(([, name]) => name);
  expect(names.toSorted()).toEqual(Object.keys(CALLS).toSorted());
});

it.each([
  ['$base64encode("\u20ac")', '$base64encode: character 1 is beyond U+00FF'],
  ['$base64decode("a!")', '$base64decode: the text is not base64'],
])('%s fails', async (expression, error) => {
  await expect(run(expression)).rejects.toThrow(error);
});

it('base64 may lack its padding, have line feeds, or use the alphabet of URLs', async () => {
  const expression = String
    .raw`[$base64decode("YQ"), $base64decode("YW\nI="), $base64decode("-_-_") = $base64decode("+/+/")]`;
  expect(await run(expression)).toEqual({
    result: { A: [{ S: 'a' }, { S: 'ab' }, { B: true }] },
  });
});
