import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sql } from '../../../dev/stack/postgres/postgres.ts';
import { cloneDatabase, type TestDatabase } from '../../support/database.ts';
import { raceOf } from '../../support/locks.ts';

const KEY = 'So11111111111111111111111111111111111111112';
const SECRET = [`'key'`, `'\\x${'01'.repeat(12)}'`, `'\\x${'02'.repeat(48)}'`].join(', ');

let database: TestDatabase;
let first: Sql;
let second: Sql;
let observer: Sql;
let userId: string;

beforeAll(async () => {
  database = await cloneDatabase();
  [first, second, observer] = [database.connect(), database.connect(), database.connect()];
});

afterAll(() => database.close());

beforeEach(async () => {
  userId = randomUUID();
  await first`insert into auth.users (id, email) values (${userId}, ${`${userId}@example.com`})`;
  await first.unsafe(`
    select private.store_wallet('${userId}', 'HARDCODED', '', '${KEY}', ${SECRET});
    insert into public.flows (user_id) values ('${userId}');
    select set_config('request.jwt.claims', '{"sub": "${userId}", "role": "authenticated"}', false);
    select public.deploy_flow(f.id) from public.flows as f where f.user_id = '${userId}';`);
});

const statements = {
  'sets it as action identity': () =>
    `update public.flow_deployments set action_identity = '${KEY}' where user_id = '${userId}'`,
  'deletes it': () => `delete from public.wallets where user_id = '${userId}'`,
  'makes it an ADAPTER': () => `select private.store_wallet('${userId}', 'ADAPTER', '', '${KEY}', null, null, null)`,
  'stores it anew': () => `select private.store_wallet('${userId}', 'HARDCODED', 'new', '${KEY}', ${SECRET})`,
  'makes an API key': () => `select public.create_api_key('test')`,
  'deletes its owner': () => `delete from auth.users where id = '${userId}'`,
};
type Name = keyof typeof statements;

const race = (leader: Name, follower: Name): Promise<[string, string]> =>
  raceOf([first, second, observer], statements[leader](), statements[follower]());

/** Counts the deployments whose action identity is not a HARDCODED wallet of their owner. */
const dangling = () =>
  first`
    select d.id from public.flow_deployments as d
    where d.action_identity is not null and not exists (
      select from public.wallets as w join private.wallet_secrets as s on s.wallet_id = w.id
      where w.user_id = d.user_id and w.public_key = d.action_identity and w.type = 'HARDCODED'
    )`;

describe('two transactions that use a wallet at once:', () => {
  it.each<[Name, Name, string]>([
    ['sets it as action identity', 'deletes it', 'wallet_in_use'],
    ['sets it as action identity', 'makes it an ADAPTER', 'wallet_in_use'],
    ['deletes it', 'sets it as action identity', 'action_identity_without_wallet'],
    ['makes it an ADAPTER', 'sets it as action identity', 'action_identity_without_wallet'],
  ])('one %s, and the one that %s is refused', async (leader, follower, code) => {
    expect(await race(leader, follower)).toEqual(['done', code]);
    expect(await dangling()).toHaveLength(0);
  });

  it('one sets the wallet as action identity, and the other can still delete the owner', async () => {
    expect(await race('sets it as action identity', 'deletes its owner')).toEqual(['done', 'done']);
    expect(await first`select from public.wallets where user_id = ${userId}`).toHaveLength(0);
    expect(await dangling()).toHaveLength(0);
  });

  it.each<Name>(['stores it anew', 'makes an API key'])(
    'one deletes the owner, and the one that %s is refused',
    async (follower) => {
      await second`select set_config('request.jwt.claims', ${
        JSON.stringify({ sub: userId, role: 'authenticated' })
      }, false)`;
      expect(await race('deletes its owner', follower)).toEqual(['done', 'token_invalid']);
    },
  );

  it('one deletes the owner, and the one that sets the identity finds no deployment', async () => {
    expect(await race('deletes its owner', 'sets it as action identity')).toEqual(['done', 'done']);
    expect(await dangling()).toHaveLength(0);
  });
});
