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
  it('outputs the value of an item, even if there is a default', async () => {
    const found: ValueMap = { value: { A: [{ S: 'stored' }] }, found: { B: true } };
    expect(await read({ ...mine, key: { S: 'key' } })).toEqual(found);
    expect(await read({ ...mine, key: { S: 'key' }, default: { S: 'default' } })).toEqual(found);
    expect(await read({ ...mine, key: { S: 'null' }, default: { S: 'default' } })).toEqual({
      value: { N: 0 },
      found: { B: true },
    });
  });

  it('outputs the default, even null, if the item is missing, and fails without a default', async () => {
    for (const value of [{ S: 'default' }, { N: 0 as const }]) {
      expect(await read({ ...mine, key: { S: 'missing' }, default: value })).toEqual({ value, found: { B: false } });
    }
    await expect(read({ ...mine, key: { S: 'missing' } })).rejects.toThrow(/^not found$/);
    await expect(read({ ...mine, key: { S: '' } })).rejects.toThrow(/^not found$/);
  });

  it('fails if the store is missing, even if there is a default', async () => {
    const inputs: ValueMap = { store: { S: 'missing' }, key: { S: 'key' }, default: { N: 0 } };
    await expect(read(inputs)).rejects.toThrow('There is no store "missing".');
  });

  it('needs texts as store and key', async () => {
    await expect(read({ key: { S: 'key' } })).rejects.toThrow('missing field `store`');
    await expect(read(mine)).rejects.toThrow('missing field `key`');
    await expect(read({ ...mine, key: { U: '1' } })).rejects.toThrow(
      'key: invalid type: integer `1`, expected a string',
    );
  });
});
