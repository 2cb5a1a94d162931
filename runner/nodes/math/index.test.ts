import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import type { Value } from '../../../types/values/value.ts';
import { mathNode } from './index.ts';

const calculate = (a: Value, operator: string, b: Value) => runNode(mathNode, { a, operator: { S: operator }, b });

it.each<[Value, string, Value, string]>([
  [{ U: '2' }, '+', { U: '3' }, '5'],
  [{ D: '0.1' }, '+', { D: '0.2' }, '0.3'],
  [{ I: '-2' }, '-', { U: '3' }, '-5'],
  [{ D: '1.50' }, '*', { U: '2' }, '3.00'],
  [{ U: '1' }, '/', { U: '3' }, '0.3333333333333333333333333333'],
  [{ I: '-7' }, '%', { U: '3' }, '-1'],
  [{ U: '2' }, '^', { U: '10' }, '1024'],
  [{ U: '2' }, '^', { I: '-1' }, '0.5'],
  [{ U: '4' }, '^', { D: '0.5' }, '2'],
  [{ F: '0.5' }, '+', { S: ' 1e1 ' }, '10.5'],
])('calculates %j %s %j = %s', async (a, operator, b, result) => {
  expect(await calculate(a, operator, b)).toEqual({ result: { D: result } });
});

it.each<[Value, string, Value, string]>([
  [{ U: '1' }, '/', { U: '0' }, 'b: division by zero'],
  [{ U: '1' }, '%', { D: '0.00' }, 'b: division by zero'],
  [{ D: '79228162514264337593543950335' }, '*', { U: '2' }, 'the result does not fit a decimal of 96 bits'],
  [{ I: '-1' }, '^', { D: '0.5' }, 'the result does not fit a decimal of 96 bits'],
  [{ U: '10' }, '^', { D: '79228162514264337593543950335' }, 'the result does not fit a decimal of 96 bits'],
  [{ U: '1' }, 'constructor', { U: '1' }, 'operator: must be one of + - * / % ^'],
  [{ B: true }, '+', { U: '1' }, 'a: invalid type: boolean `true`, expected a decimal'],
  [{ U: '1' }, '+', { S: 'one' }, 'b: invalid value: string, expected a decimal'],
])('refuses %j %s %j: %s', async (a, operator, b, error) => {
  await expect(calculate(a, operator, b)).rejects.toThrow(error);
});
