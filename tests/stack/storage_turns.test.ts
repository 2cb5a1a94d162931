import { expect, it } from 'vitest';
import { inTurns } from '../../dev/stack/storage/turns.ts';
import type { ObjectStore } from '../../dev/stack/storage/object_store.ts';

it('callers of Storage take turns, and requests with the secret key take the turn of their folder', async () => {
  const order: string[] = [];
  const waiting: (() => void)[] = [];
  const list = async (_bucket: string, { prefix }: { prefix: string }) => {
    order.push(prefix);
    await new Promise<void>((resolve) => waiting.push(resolve));
    return [];
  };
  // SAFETY: the test only lists.
  const store = inTurns({ list } as unknown as ObjectStore);
  const ask = (prefix: string, claims: { role: string; sub?: string }) =>
    store.list('user-storages', { prefix } as never, claims);
  const asked = [
    ...['a1', 'a2', 'a3', 'a4', 'a5'].map((prefix) => ask(prefix, { role: 'authenticated', sub: 'a' })),
    ask('b1', { role: 'authenticated', sub: 'b' }),
    ask('c/1', { role: 'service_role' }),
    ask('c/2', { role: 'service_role' }),
    ask('d/1', { role: 'service_role' }),
  ];
  expect(order).toEqual(['a1', 'a2', 'b1', 'c/1']);
  for (let count = 0; count < asked.length; count++) {
    await expect.poll(() => waiting.length).toBeGreaterThan(0);
    waiting.shift()!();
  }
  await Promise.all(asked);
  expect(order.indexOf('d/1')).toBeLessThan(order.indexOf('a4'));
});
