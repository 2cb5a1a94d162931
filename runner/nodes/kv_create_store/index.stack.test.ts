import { beforeAll, describe, expect, it } from 'vitest';
import { type ClaimedRun, makeClaimedRun } from '../../../tests/support/claimed_run.ts';
import { runNode } from '../../../tests/support/node_call.ts';
import { signUp } from '../../../tests/support/people.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { publishedEffects } from '../../engine/node.ts';
import { kvCreateStoreNode } from './index.ts';

let run: ClaimedRun;
beforeAll(async () => {
  run = await makeClaimedRun((await signUp()).id);
});

const create = async (inputs: ValueMap) => await runNode(kvCreateStoreNode, inputs, { kv: await run.stores() });

describe('kv_create_store', () => {
  it('creates a store, and refuses a second one of the same name', async () => {
    expect(await create({ store: { S: 'mine' } })).toEqual({});
    expect(await (await run.stores()).read('mine', 'key')).toBeUndefined();
    await expect(create({ store: { S: 'mine' } })).rejects.toThrow('The store "mine" already exists.');
  });

  it('needs a name that is a text', async () => {
    await expect(create({})).rejects.toThrow('missing field `store`');
    await expect(create({ store: { U: '1' } })).rejects.toThrow('store: invalid type: integer `1`, expected a string');
    await expect(create({ store: { S: 'no name' } })).rejects.toThrow('The name of a store must be 1 to 120 letters');
  });

  it('may be repeated, because one execution creates one store', async () => {
    expect(publishedEffects(kvCreateStoreNode)).toBe('idempotent');
    const kv = await run.stores(await run.begin());
    const inputs: ValueMap = { store: { S: 'repeated' } };
    for (const attempt of [1, 2]) {
      expect([attempt, await runNode(kvCreateStoreNode, inputs, { kv })]).toEqual([attempt, {}]);
    }
  });
});
