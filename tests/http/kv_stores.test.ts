import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeRpc } from '../../platform/database/rpc.ts';
import { type KvStores, NodeError, Released } from '../../runner/engine/node.ts';
import { makeKvStores } from '../../runner/reach/kv_stores.ts';
import type { Value } from '../../types/values/value.ts';
import { type ClaimedRun, makeClaimedRun } from '../support/claimed_run.ts';
import { type Person, signUp } from '../support/people.ts';
import { rest } from '../support/rest.ts';
import { createApiKey } from '../support/tokens.ts';

let owner: Person;
let other: Person;
let run: ClaimedRun;

beforeAll(async () => {
  [owner, other] = await Promise.all([signUp(), signUp()]);
  run = await makeClaimedRun(owner.id);
});

describe('the stores of a claimed run', () => {
  it('store a value of every tag, and return the replaced one', async () => {
    const values: Value[] = [
      { N: 0 },
      { S: 'grüße 🦀 "' },
      { B: false },
      { U: '18446744073709551615' },
      { I: '-9223372036854775808' },
      { U1: '340282366920938463463374607431768211455' },
      { I1: '-170141183460469231731687303715884105728' },
      { F: 'NaN' },
      { D: '1.50' },
      { B3: '11111111111111111111111111111112' },
      { BY: 'AP8=' },
      { A: [{ A: [] }, { M: {} }] },
      { M: { '': { S: '' }, toString: { B: true } } },
    ];
    await (await run.stores()).create('tags');
    let old: Value | undefined;
    for (const value of values) {
      expect(await (await run.stores()).write('tags', 'ключ /', value)).toEqual(old);
      expect(await (await run.stores()).read('tags', 'ключ /')).toEqual(value);
      old = value;
    }
    expect(await (await run.stores()).read('tags', 'other')).toBeUndefined();
  });

  it('are changed once by one execution, even if the call is repeated', async () => {
    const effects = await Promise.all([run.begin(), run.begin(), run.begin()]);
    const [creating, writing, deleting] = await Promise.all(effects.map((effect) => run.stores(effect)));
    await creating!.create('once');
    await creating!.create('once');
    const asked = await Promise.all(Array.from({ length: 5 }, () => writing!.write('once', 'key', { U: '1' })));
    expect(asked).toEqual(Array(5).fill(undefined));
    expect(await (await run.stores()).write('once', 'key', { U: '2' })).toEqual({ U: '1' });
    expect(await writing!.write('once', 'key', { U: '1' })).toBeUndefined();
    expect(await writing!.read('once', 'key')).toEqual({ U: '2' });
    await deleting!.delete('once');
    await deleting!.delete('once');
    await expect(writing!.read('once', 'key')).rejects.toThrow('There is no store "once".');
  });

  it('return refusals as errors of the node', async () => {
    await (await run.stores()).create('full');
    const refused: [(stores: KvStores) => Promise<unknown>, string][] = [
      [(kv) => kv.create('full'), 'kv_store_exists: The store "full" already exists.'],
      [
        (kv) => kv.create('1'),
        'kv_store_name_invalid: The name of a store must be 1 to 120 letters, digits, _ and -, beginning with a letter.',
      ],
      [(kv) => kv.delete('missing'), 'kv_store_not_found: There is no store "missing".'],
      [(kv) => kv.read('missing', 'key'), 'kv_store_not_found: There is no store "missing".'],
      [(kv) => kv.write('full', '', { N: 0 }), 'kv_key_invalid: A key must have 1 to 1024 bytes.'],
    ];
    for (const [work, message] of refused) {
      await expect(work(await run.stores())).rejects.toThrow(new NodeError(message));
    }
    await Promise.all(Array.from({ length: 98 }, async (_, index) => (await run.stores()).create(`s${index}`)));
    await expect((await run.stores()).create('one_more')).rejects.toThrow(
      'kv_stores_limit: A user can have 100 key-value stores at most. Delete a store that is not needed any more.',
    );
  });

  it('release the run if its claim is lost or the database does not answer', async () => {
    const ended = await makeClaimedRun(owner.id);
    const effect = await ended.begin();
    await expect((await ended.stores(effect, 2)).create('never')).rejects.toThrow(Released);
    await ended.end();
    await expect((await ended.stores(effect)).create('never')).rejects.toThrow(Released);
    await expect((await ended.stores(effect)).read('tags', 'key')).rejects.toThrow(Released);

    const unreachable = makeRpc({ restUrl: 'http://127.0.0.1:1', apikey: '', fetch });
    await expect(makeKvStores(unreachable, { flow_run_id: run.id, claim_number: 1 })(effect).read('a', 'b')).rejects
      .toThrow(
        Released,
      );
  });

  it('do not report a defect as a refusal', async () => {
    const unstored = { flow_run_id: run.id, node_id: randomUUID(), times: 0 };
    await expect((await run.stores(unstored)).create('never')).rejects.toMatchObject({
      name: 'ApiError',
      code: 'internal',
    });
  });
});

describe('the stores of a user', () => {
  it('can be read only by the user, with supabase-js or an API key', async () => {
    const reader = await signUp();
    const theirs = await makeClaimedRun(reader.id);
    await (await theirs.stores()).create('settings');
    await (await theirs.stores()).write('settings', 'theme', { M: { dark: { B: true } } });

    const stores = await reader.client.from('kv_stores').select('*');
    expect(stores.data).toEqual([{ user_id: reader.id, name: 'settings', created_at: expect.any(String) }]);
    const items = await reader.client.from('kv_items').select('*').eq('store', 'settings').eq('key', 'theme').single();
    const item = {
      user_id: reader.id,
      store: 'settings',
      key: 'theme',
      value: { M: { dark: { B: true } } },
      size_bytes: 5 + '{"M": {"dark": {"B": true}}}'.length,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    };
    expect(items.data).toEqual(item);
    const embedded = await reader.client.from('kv_stores').select('name, kv_items(key)');
    expect(embedded.data).toEqual([{ name: 'settings', kv_items: [{ key: 'theme' }] }]);

    const { key } = await createApiKey(reader);
    expect((await rest('kv_items', { headers: { 'x-api-key': key } })).body).toEqual([item]);
    for (const table of ['kv_stores', 'kv_items'] as const) {
      expect((await other.client.from(table).select('*').eq('user_id', reader.id)).data).toEqual([]);
      const { status, body } = await rest(table);
      expect([status, body.code]).toEqual([401, '42501']);
    }
  });

  it("can't be written through /rest/v1", async () => {
    const { error } = await owner.client.from('kv_stores').insert({ user_id: owner.id, name: 'own' });
    expect(error?.code).toBe('42501');
    expect((await owner.client.from('kv_items').delete().eq('store', 'tags')).error?.code).toBe('42501');
    const claim = { flow_run_id: run.id, claim_number: 1 };
    expect((await owner.client.rpc('kv_read_item', { claim, store: 'tags', key: 'key' })).error?.code).toBe('42501');
  });
});
