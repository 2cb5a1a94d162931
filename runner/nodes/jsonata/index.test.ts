import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import { untimedScripts } from '../../../tests/support/untimed_scripts.ts';
import type { Value } from '../../../types/values/value.ts';
import { jsonataNode } from './index.ts';

const run = (expression: string, input: Value) =>
  runNode(jsonataNode, { expression: { S: expression }, input }, { scripts: untimedScripts });

const ORDERS: Value = {
  M: {
    orders: { A: [{ M: { price: { U: '2' }, name: { S: 'a' } } }, { M: { price: { D: '0.5' }, name: { S: 'b' } } }] },
  },
};

it.each<[expression: string, result: Value | undefined]>([
  ['$sum(orders.price)', { D: '2.5' }],
  ['orders[name = "a"].price', { U: '2' }],
  ['orders.name', { A: [{ S: 'a' }, { S: 'b' }] }],
  ['{"count": $count(orders)}', { M: { count: { U: '2' } } }],
  ['$match("ab12", /[a-z]+/).match', { S: 'ab' }],
  ['missing', undefined],
  ['null', { N: 0 }],
])('%s', async (expression, result) => {
  expect(await run(expression, ORDERS)).toEqual(result === undefined ? {} : { result });
});

it.each<[expression: string, error: RegExp]>([
  ['1 +', /Unexpected end of expression|character/],
  ['"a" * 2', /must evaluate to a number.*character/],
  ['$nope()', /non-function.*character/],
  ['($f := function($n) { $f($n + 1) + 1 }; $f(0))', /node_cpu_limit|stack overflow|out of memory/],
  ['$match("' + 'a'.repeat(60) + 'b", /^(a+)+$/)', /node_cpu_limit/],
])('%s fails', async (expression, error) => {
  await expect(runNode(jsonataNode, { expression: { S: expression } })).rejects.toThrow(error);
});

it('refuses a missing expression, and one that is not a text', async () => {
  await expect(runNode(jsonataNode, { expression: { U: '1' } })).rejects.toThrow('expression: invalid type');
  await expect(runNode(jsonataNode, {})).rejects.toThrow('missing field `expression`');
});
