import { expect, test } from 'vitest';
import { previewExpression } from './preview_expression.ts';

const value = { M: { order: { M: { price: { D: '1.50' }, items: { A: [{ U: '1' }, { U: '22' }] } } } } };
const preview = (expression: string, types: string[] = ['free']) => previewExpression({ expression, value, types });

test('a preview computes as a run does, with its errors and a time limit', async () => {
  expect(await preview('order.items[$ > 10]')).toEqual({ value: { U: '22' } });
  expect(await preview('order.nothing')).toEqual({ value: undefined });
  expect(await preview('order.price')).toEqual({ value: { D: '1.50' } });
  expect(await preview('order.items[$ > 10]', ['array'])).toEqual({ value: { A: [{ U: '22' }] } });
  expect(await preview('order.items[$ > 100]', ['array'])).toEqual({ value: { A: [] } });
  expect(await preview('order.price > 1.25')).toEqual({ value: { B: true } });
  expect(await preview('$now()')).toMatchObject({ error: expect.stringContaining('$now') });
  expect(await preview('order.(')).toMatchObject({ error: expect.stringContaining('character') });
  expect(await preview('order.price', ['bool'])).toMatchObject({ error: expect.stringContaining('bool') });
  expect(await preview('($f := function($n) { $f($n + 1) }; $f(1))'))
    .toMatchObject({ error: expect.any(String) });
});
