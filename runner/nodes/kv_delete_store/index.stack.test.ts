import { beforeAll, describe, expect, it } from 'vitest';
import { type ClaimedRun, makeClaimedRun } from '../../../tests/support/claimed_run.ts';
import { runNode } from '../../../tests/support/node_call.ts';
import { signUp } from '../../../tests/support/people.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { publishedEffects } from '../../engine/node.ts';
import { kvDeleteStoreNode } from './index.ts';

let run: ClaimedRun;
beforeAll(async () => {
  run = await makeClaimedRun((await signUp()).id);
});

const remove = async (inputs: ValueMap) => await runNode(kvDeleteStoreNode, inputs, { kv: await run.stores() });

describe('kv_delete_store', () => {
  it('deletes a store with its items', async () => {
    await (await run.stores()).create('mine');
    await (await run.stores()).write('mine', 'key', { N: 0 });
    expect(await remove({ store: { S: 'mine' } })).toEqual({});
    await (await run.stores()).create('mine');
    expect(await (await run.stores()).read('mine', 'key')).toBeUndefined();
  });

  it('needs an existing store', async () => {
    await expect(remove({})).rejects.toThrow('missing field `store`');
    await expect(remove({ store: { S: 'missing' } })).rejects.toThrow('There is no store "missing".');
  });

  it('may be repeated, because one execution deletes one store', async () => {
    expect(publishedEffects(kvDeleteStoreNode)).toBe('idempotent');
    await (await run.stores()).create('repeated');
    const kv = await run.stores(await run.begin());
    const inputs: ValueMap = { store: { S: 'repeated' } };
    expect(await runNode(kvDeleteStoreNode, inputs, { kv })).toEqual({});
    await (await run.stores()).create('repeated');
    expect(await runNode(kvDeleteStoreNode, inputs, { kv })).toEqual({});
    await expect((await run.stores()).create('repeated')).rejects.toThrow('The store "repeated" already exists.');
  });
});
