import { beforeAll, describe, expect, it } from 'vitest';
import { type ClaimedRun, makeClaimedRun } from '../../../tests/support/claimed_run.ts';
import { runNode } from '../../../tests/support/node_call.ts';
import { signUp } from '../../../tests/support/people.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { publishedEffects } from '../../engine/node.ts';
import { kvWriteItemNode } from './index.ts';

let run: ClaimedRun;
beforeAll(async () => {
  run = await makeClaimedRun((await signUp()).id);
  await (await run.stores()).create('mine');
});

const write = async (inputs: ValueMap) => await runNode(kvWriteItemNode, inputs, { kv: await run.stores() });

const mine = { store: { S: 'mine' } };

describe('kv_write_item', () => {
  it('stores a value, also null, and outputs the replaced one', async () => {
    const key = { S: 'key' };
    expect(await write({ ...mine, key, value: { U: '1' } })).toEqual({});
    expect(await write({ ...mine, key, value: { N: 0 } })).toEqual({ old_value: { U: '1' } });
    expect(await write({ ...mine, key, value: { M: {} } })).toEqual({ old_value: { N: 0 } });
    expect(await (await run.stores()).read('mine', 'key')).toEqual({ M: {} });
  });

  it('needs an existing store, a key and a value', async () => {
    await expect(write({ ...mine, key: { S: 'key' } })).rejects.toThrow('missing field `value`');
    await expect(write({ ...mine, value: { N: 0 } })).rejects.toThrow('missing field `key`');
    await expect(write({ ...mine, key: { S: '' }, value: { N: 0 } })).rejects.toThrow(
      'A key must have 1 to 1024 bytes.',
    );
    await expect(write({ store: { S: 'missing' }, key: { S: 'key' }, value: { N: 0 } })).rejects.toThrow(
      'There is no store "missing".',
    );
  });

  it('may be repeated, because one execution writes once', async () => {
    expect(publishedEffects(kvWriteItemNode)).toBe('idempotent');
    const kv = await run.stores(await run.begin());
    const inputs: ValueMap = { ...mine, key: { S: 'repeated' }, value: { S: 'mine' } };
    expect(await runNode(kvWriteItemNode, inputs, { kv })).toEqual({});
    expect(await write({ ...inputs, value: { S: 'theirs' } })).toEqual({ old_value: { S: 'mine' } });
    expect(await runNode(kvWriteItemNode, inputs, { kv })).toEqual({});
    expect(await (await run.stores()).read('mine', 'repeated')).toEqual({ S: 'theirs' });
  });
});
