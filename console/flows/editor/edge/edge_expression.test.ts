import { expect, test } from 'vitest';
import { namesAt, pathExpression, withExpression } from './edge_expression.ts';

test('an expression is stored in the data of its edge, and an empty one is removed', () => {
  const edge = { id: 'e', data: { colour: 'red' } };
  const changed = withExpression(edge, 'order.price');
  expect(changed).toEqual({ id: 'e', data: { colour: 'red', expression: 'order.price' } });
  expect(withExpression(changed, ' ')).toEqual(edge);
  expect(withExpression(withExpression({ id: 'e' }, 'a'), '')).toEqual({ id: 'e' });
});

test('names are those of the value at a path, and paths become expressions', () => {
  const value = { orders: [{ 'unit price': 2, id: 1 }], total: 3 };
  expect(namesAt(value, [])).toEqual(['orders', 'total']);
  expect(namesAt(value, ['orders'])).toEqual(['unit price', 'id']);
  expect(namesAt(value, ['total'])).toEqual([]);
  expect(namesAt(value, ['constructor'])).toEqual([]);
  expect(pathExpression(['orders', 0, 'unit price'])).toBe('orders[0].`unit price`');
  expect(pathExpression([1, 'in'])).toBe('$[1].`in`');
  expect(pathExpression([])).toBe('');
  expect(pathExpression(['a', 'b`c', 0, 'd'])).toBe('$lookup(a, "b`c")[0].d');
  expect(pathExpression(['`'])).toBe('$lookup($, "`")');
});
