import { describe, expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import { untimedScripts } from '../../../tests/support/untimed_scripts.ts';
import type { Value } from '../../../types/values/value.ts';
import { jsonataNode } from './index.ts';

const ID = '820982911946154508';
const OTHER = '820982911946154509';
/** A decimal that no JavaScript number holds. */
const ODD = '1.10000000000000000001';

const [first, second]: Value[] = [
  { M: { amount: { U: '5' }, price: { D: '9.5' }, id: { U: ID } } },
  { M: { amount: { D: '12.5' }, price: { D: '2.20' }, id: { U: OTHER } } },
] as const;
const ROWS: Value = { A: [first!, second!] };
const ONE: Value = {
  M: {
    id: { U: ID },
    ids: { A: [{ U: ID }, { U: OTHER }] },
    odd: { D: ODD },
    price: { D: '2.20' },
    qty: { U: '3' },
    total: { D: '0.5' },
    a: { D: '1.10' },
    b: { D: '1.1' },
    f: { F: '0.30000000000000004' },
  },
};

const run = async (expression: string, input: Value): Promise<Value | string | undefined> =>
  await runNode(jsonataNode, { expression: { S: expression }, input }, { scripts: untimedScripts }).then(
    ({ result }) => result,
    ({ message }) => message,
  );

const TRUE: Value = { B: true };
const FALSE: Value = { B: false };

describe('fractions are numbers', () => {
  it.each<[expression: string, result: Value | undefined]>([
    ['$[0].amount + 1.5', { D: '6.5' }],
    ['$[0].price > 10.5', FALSE],
    ['$[amount > 10]', second],
    ['$^(price)', { A: [second!, first!] }],
    ['$^(price).price', { A: [{ D: '2.20' }, { D: '9.5' }] }],
    ['$sum(price)', { D: '11.7' }],
    ['$[price = 9.5]', first],
    ['$sort($, function($a, $b) { $a.price > $b.price }).price', { A: [{ D: '2.20' }, { D: '9.5' }] }],
  ])('%s', async (expression, result) => expect(await run(expression, ROWS)).toEqual(result));

  it.each<[expression: string, result: Value]>([
    ['{"total": total}', { M: { total: { D: '0.5' } } }],
    ['{"total": qty}', { M: { total: { U: '3' } } }],
    ['price * qty', { D: '6.6000000000000005' }],
    ['$formatNumber(price, "0.00")', { S: '2.20' }],
    ['a = b', TRUE],
    // The input's number in full, a computed number rounded as JSONata rounds it.
    ['$string(f)', { S: '0.30000000000000004' }],
    ['"" & f', { S: '0.30000000000000004' }],
    ['(0.1 + 0.7) & ""', { S: '0.8' }],
  ])('%s', async (expression, result) => expect(await run(expression, ONE)).toEqual(result));
});

describe('a number that JavaScript can not hold keeps its digits', () => {
  it.each<[expression: string, result: Value | undefined]>([
    ['id', { U: ID }],
    ['"users/" & id', { S: `users/${ID}` }],
    ['"n" & odd', { S: `n${ODD}` }],
    ['"x" & ids', { S: `x[${ID},${OTHER}]` }],
    ['$string(id)', { S: ID }],
    ['$string({"a": id, "n": null})', { S: `{"a":${ID},"n":null}` }],
    ['$string({"a": odd}, true)', { S: `{\n  "a": ${ODD}\n}` }],
    ['$map(ids, $string)', { A: [{ S: ID }, { S: OTHER }] }],
    ['ids.$string()', { A: [{ S: ID }, { S: OTHER }] }],
    ['{$string(id): 1}', { M: { [ID]: { U: '1' } } }],
    ['$join([$string(id)])', { S: ID }],
    ['$number($string(id))', { U: ID }],
    ['id.$number()', { U: ID }],
    ['$type(odd)', { S: 'number' }],
    ['id.$type($)', { S: 'number' }],
    ['$lookup($, "id")', { U: ID }],
    ['$merge([{"a": id}, {"b": 1}])', { M: { a: { U: ID }, b: { U: '1' } } }],
    ['($ ~> |$|{"z": odd}|).z', { D: ODD }],
    ['$spread(id)', { U: ID }],
    ['$exists(id)', TRUE],
    ['missing ?? id', { U: ID }],
    ['id.toString', undefined],
    ['$keys(id)', undefined],
  ])('%s', async (expression, result) => expect(await run(expression, ONE)).toEqual(result));

  it.each<[expression: string, result: Value | undefined]>([
    [`$[id = ${ID}].id`, { U: ID }],
    [`$[id != ${ID}].id`, { U: OTHER }],
    [`$[id = -${ID}]`, undefined],
    [`$[price = 2.2 and id = ${OTHER}].id`, { U: OTHER }],
    ['${$string(id): $count($)}', { M: { [ID]: { U: '1' }, [OTHER]: { U: '1' } } }],
    ['$.$type(id)', { A: [{ S: 'number' }, { S: 'number' }] }],
  ])('%s', async (expression, result) => expect(await run(expression, ROWS)).toEqual(result));

  it.each<[expression: string, result: Value]>([
    [`id in [${ID}, 1]`, TRUE],
    [`id = ${OTHER}`, FALSE],
    [`id = "${ID}"`, FALSE],
    [`odd = ${ODD}`, TRUE],
    ['odd = 1.1', FALSE],
    ['ids[0] = id', TRUE],
    ['$distinct([id, id])', { A: [{ U: ID }] }],
    ['$distinct(ids)', { A: [{ U: ID }, { U: OTHER }] }],
    [`$single(ids, function($v) { $v = ${ID} })`, { U: ID }],
    // $eval reads its own literals, and they lose digits.
    [`$eval("${ID}") = id`, FALSE],
  ])('equality: %s', async (expression, result) => expect(await run(expression, ONE)).toEqual(result));

  it.each<[expression: string, result: Value]>([
    ['id ? 1 : 2', { U: '1' }],
    ['ids ? 1 : 2', { U: '1' }],
    ['id ?: 7', { U: ID }],
    ['id and true', TRUE],
    ['$boolean(id)', TRUE],
    ['$boolean(ids)', TRUE],
    ['$not(id)', FALSE],
    ['$filter(ids, function($v) { $v })', { A: [{ U: ID }, { U: OTHER }] }],
    ['$sift({"a": id, "b": 0}, function($v) { $v })', { M: { a: { U: ID } } }],
  ])('it is true: %s', async (expression, result) => expect(await run(expression, ONE)).toEqual(result));

  it.each([
    'id > 5',
    'id + 1',
    '-id',
    'id < id',
    'id > "a"',
    '[1..id]',
    '[id..3]',
    '$max(id)',
    '$max([id, 1])',
    '$sum(ids)',
    '$sort(ids)',
    'ids^($)',
    '$sort(ids, function($a, $b) { $a > $b })',
    '$round(id)',
    '$formatNumber(id, "0")',
    '$reduce(ids, function($a, $b) { $a + $b })',
    'ids[$$.id]',
    '$fromMillis(id)',
    'qty * odd',
    '$round(odd, 2)',
  ])('arithmetic and ordering name it: %s', async (expression) => {
    expect(await run(expression, ONE)).toMatch(
      /^(820982911946154508|1\.10000000000000000001) has too many digits to compute with or to order \(character \d+\)$/,
    );
  });

  it.each([
    ['$length(id)', 'Argument 1 of function "length" does not match function signature (character 8)'],
    ['$join(ids)', 'Argument 1 of function "join" must be an array of "strings" (character 6)'],
    ['$merge(id)', 'Argument 1 of function "merge" must be an array of "objects" (character 7)'],
    ['$each(id, $string)', 'Argument 1 of function "each" does not match function signature (character 6)'],
    ['$sift(id, $boolean)', 'Argument 1 of function "sift" does not match function signature (character 6)'],
    ['{id: 1}', `Key in object structure must evaluate to a string; got: ${ID} (character 1)`],
  ])('elsewhere it is a number like any other: %s', async (expression, error) => {
    expect(await run(expression, ONE)).toBe(error);
  });
});
