import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { randomNode } from './index.ts';

const make = async (inputs: ValueMap = {}) => (await runNode(randomNode, inputs))['value'];

it.each([
  [{}, /^[0-9a-f]{8}-[0-9a-f]{4}-4/],
  [{ kind: { S: 'uuid_v4' } }, /^[0-9a-f]{8}-[0-9a-f]{4}-4/],
  [{ kind: { S: 'uuid_v7' } }, /^[0-9a-f]{8}-[0-9a-f]{4}-7/],
])('makes a new id each time for %j', async (inputs, pattern) => {
  const [first, second] = [await make(inputs), await make(inputs)];
  expect(first).toEqual({ S: expect.stringMatching(pattern) });
  expect(second).not.toEqual(first);
});

it('makes bytes of the size, 32 by default', async () => {
  const bytes = { kind: { S: 'bytes' } };
  expect(await make(bytes)).toEqual({ B3: expect.any(String) });
  expect(Buffer.from((await make({ ...bytes, size: { U: '1000' } }) as { BY: string }).BY, 'base64')).toHaveLength(
    1_000,
  );
});

it.each([
  [{ kind: { S: 'dice' } }, 'kind: must be one of uuid_v4, uuid_v7, bytes'],
  [{ kind: { S: 'bytes' }, size: { U: '0' } }, 'size: must be from 1 to 1024'],
  [{ kind: { S: 'bytes' }, size: { U: '4000000000' } }, 'size: must be from 1 to 1024'],
])('refuses %j: %s', async (inputs, error) => {
  await expect(make(inputs)).rejects.toThrow(error);
});
