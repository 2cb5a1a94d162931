import { beforeAll, describe, expect, it } from 'vitest';
import { type ClaimedRun, makeClaimedRun } from '../../../tests/support/claimed_run.ts';
import { runNode } from '../../../tests/support/node_call.ts';
import { signUp } from '../../../tests/support/people.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { kvReadItemNode } from './index.ts';

let run: ClaimedRun;
beforeAll(async () => {
  run = await makeClaimedRun((await signUp()).id);
  await (await run.stores()).create('mine');
  await (await run.stores()).write('mine', 'key', { A: [{ S: 'stored' }] });
  await (await run.stores()).write('mine', 'null', { N: 0 });
});

const read = async (inputs: ValueMap) => await runNode(kvReadItemNode, inputs, { kv: await run.stores() });

const mine = { store: { S: 'mine' } };

describe('kv_read_item', () => {
  it('gives the value of an item, whatever the default', async () => {
    const found: ValueMap = { value: { A: [{ S: 'stored' }] }, found: { B: true } };
    expect(await read({ ...mine, key: { S: 'key' } })).toEqual(found);
    expect(await read({ ...mine, key: { S: 'key' }, default: { S: 'default' } })).toEqual(found);
    expect(await read({ ...mine, key: { S: 'null' }, default: { S: 'default' } })).toEqual({
      value: { N: 0 },
      found: { B: true },
    });
  });

  it('gives the default when there is no such item, also null, and fails without one', async () => {
    for (const value of [{ S: 'default' }, { N: 0 as const }]) {
      expect(await read({ ...mine, key: { S: 'missing' }, default: value })).toEqual({ value, found: { B: false } });
    }
    await expect(read({ ...mine, key: { S: 'missing' } })).rejects.toThrow(/^not found$/);
    await expect(read({ ...mine, key: { S: '' } })).rejects.toThrow(/^not found$/);
  });

  it('fails when there is no such store, whatever the default', async () => {
    const inputs: ValueMap = { store: { S: 'missing' }, key: { S: 'key' }, default: { N: 0 } };
    await expect(read(inputs)).rejects.toThrow('There is no store "missing".');
  });

  it('needs a store and a key that are texts', async () => {
    await expect(read({ key: { S: 'key' } })).rejects.toThrow('missing field `store`');
    await expect(read(mine)).rejects.toThrow('missing field `key`');
    await expect(read({ ...mine, key: { U: '1' } })).rejects.toThrow(
      'key: invalid type: integer `1`, expected a string',
    );
  });
});
