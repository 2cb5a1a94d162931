import { expect, it } from 'vitest';
import { newOrderPart, orderIdOf } from './order.ts';

const idIn = (part: string): string | undefined => {
  const parameters = new URLSearchParams(part);
  return orderIdOf(Object.fromEntries([...parameters.keys()].map((name) => [name, parameters.getAll(name)])));
};

it('each new order has an id of its own that can be read back', () => {
  const ids = Array.from({ length: 100 }, () => idIn(newOrderPart()));
  expect(new Set(ids).size).toBe(100);
  expect(ids).not.toContain(undefined);
});

it.each(['', 'x-order-id=', 'x-order-id=short', `x-order-id=${'a'.repeat(65)}`, `x-order-id=${'a.'.repeat(12)}`])(
  'no order: %s',
  (part) => expect(idIn(part)).toBeUndefined(),
);

it('ignores an order that is given twice', () => {
  expect(idIn(`${newOrderPart()}&${newOrderPart()}`)).toBeUndefined();
});
