import { beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { makeWalletsApp } from '../../functions/wallets/app.ts';
import { findSecrets, hardcoded, makeKeypair, storeKeypair } from '../support/keypairs.ts';
import { type Person, signUp } from '../support/people.ts';
import { asSuperuser } from '../support/tokens.ts';

const pair = makeKeypair();
let owner: Person;
let other: Person;
/** The secret key, nonce and ciphertext of the owner's wallet. */
let secrets: Uint8Array[];

beforeAll(async () => {
  [owner, other] = await Promise.all([signUp(), signUp()]);
  await storeKeypair(owner, pair);
  secrets = await asSuperuser(async (sql) => {
    const [row] = await sql<[{ nonce: Uint8Array; ciphertext: Uint8Array }]>`
      select s.nonce, s.ciphertext from private.wallet_secrets as s join public.wallets as w on w.id = s.wallet_id
      where w.public_key = ${pair.publicKey}`;
    return [pair.secretKey, row.nonce, row.ciphertext];
  });
});

interface Caller {
  who: string;
  headers: () => Record<string, string>;
}

const callers: Caller[] = [
  { who: 'the owner', headers: () => ({ authorization: `Bearer ${owner.token}` }) },
  { who: 'another user', headers: () => ({ authorization: `Bearer ${other.token}` }) },
  { who: 'anon', headers: () => ({}) },
];
const serviceRole: Caller = {
  who: 'the service role',
  headers: () => ({ apikey: inject('stack').SECRET_KEY, authorization: `Bearer ${inject('stack').SECRET_KEY}` }),
};

/** Returns the status, the headers and the text of an answer. */
async function rest(
  { headers }: Caller,
  path: string,
  init: RequestInit = {},
): Promise<{ status: number; text: string }> {
  const { API_URL, PUBLISHABLE_KEY } = inject('stack');
  const response = await fetch(`${API_URL}/rest/v1/${path}`, {
    ...init,
    headers: {
      apikey: PUBLISHABLE_KEY,
      'content-type': 'application/json',
      ...headers(),
      ...init.headers as Record<string, string>,
    },
  });
  return { status: response.status, text: `${[...response.headers].join('\n')}\n${await response.text()}` };
}

const tables = () =>
  asSuperuser((sql) =>
    sql<{ schema: string; name: string }[]>`
      select relnamespace::regnamespace::text as schema, relname as name from pg_class
      where relkind in ('r', 'p', 'v', 'm', 'f') and relnamespace::regnamespace::text in ('public', 'private', 'auth', 'extensions')`
  );

/**
 * Lists every function that PostgREST could reach. For an argument with the name and type of a value of the owner's
 * wallet, passes that value.
 */
async function rpcs(): Promise<{ name: string; args: Record<string, unknown> }[]> {
  const functions = await asSuperuser((sql) =>
    sql<{ name: string; names: string[] | null; types: string[] }[]>`
      select p.proname as name, p.proargnames[1:p.pronargs] as names, array(
        select format_type(t.oid, null) from unnest(p.proargtypes) with ordinality as t (oid, position) order by t.position
      ) as types
      from pg_proc as p
      where p.pronamespace = 'public'::regnamespace`
  );
  const valueOf = (name: string, type: string): unknown => {
    if (name === 'public_key') return pair.publicKey;
    if (type === 'uuid') return owner.id;
    if (type.endsWith('[]')) return [];
    if (type === 'integer' || type === 'bigint') return 1;
    if (type === 'jsonb' || type === 'json') return {};
    if (type === 'boolean') return true;
    if (type === 'bytea') return null;
    return name === 'type' ? 'HARDCODED' : 'text';
  };
  return functions.map(({ name, names, types }) => ({
    name,
    args: Object.fromEntries((names ?? []).map((arg, index) => [arg, valueOf(arg, types[index] ?? '')])),
  }));
}

describe('the secret of a wallet is returned', () => {
  it("by the runner's function to the service role, so the search below can find it", async () => {
    const args = { user_id: owner.id, public_key: pair.publicKey };
    const { status, text } = await rest(serviceRole, 'rpc/read_wallet_secret', {
      method: 'POST',
      body: JSON.stringify(args),
    });
    expect(status).toBe(200);
    expect(findSecrets(text, secrets.slice(1))).not.toEqual([]);
    expect(findSecrets(text, secrets.slice(0, 1))).toEqual([]);
    expect((await rpcs()).find(({ name }) => name === 'read_wallet_secret')?.args).toEqual(args);
  });

  it.each([...callers, serviceRole])('by no table, to $who', async (caller) => {
    const found = await tables();
    expect(found.map(({ name }) => name)).toContain('wallet_secrets');
    for (const { schema, name } of found) {
      const variants: Record<string, string>[] = [{}, { 'accept-profile': schema }, { accept: 'text/csv' }];
      for (const headers of variants) {
        const { text } = await rest(caller, `${name}?select=*`, { headers });
        expect(findSecrets(text, secrets), `${schema}.${name}`).toEqual([]);
      }
    }
  });

  it.each([...callers, serviceRole])('by no embedding, write or description, to $who', async (caller) => {
    const requests: [string, RequestInit?][] = [
      [''],
      ['wallets?select=*,wallet_secrets(*)'],
      ['wallets?select=*,secret:wallet_secrets!wallet_id(ciphertext,nonce)'],
      ['wallets?select=id,ciphertext,nonce,keypair'],
      ['wallets?select=*&order=ciphertext'],
      ['wallets?select=*', {
        method: 'PATCH',
        body: JSON.stringify({ name: 'read back' }),
        headers: { prefer: 'return=representation' },
      }],
      ['wallets?select=*', { headers: { accept: 'application/vnd.pgrst.plan+json; options=analyze|verbose' } }],
    ];
    for (const [path, init] of requests) {
      const query = init?.method === 'PATCH' ? `${path}&public_key=eq.${pair.publicKey}` : path;
      expect(findSecrets((await rest(caller, query, init)).text, secrets), path).toEqual([]);
    }
  });

  it.each(callers)('by no function, to $who', async (caller) => {
    const found = await rpcs();
    expect(found.length).toBeGreaterThan(10);
    for (const { name, args } of found) {
      const { status, text } = await rest(caller, `rpc/${name}`, { method: 'POST', body: JSON.stringify(args) });
      expect(findSecrets(text, secrets), name).toEqual([]);
      // The role anon gets a 401, because it could sign in.
      if (name.endsWith('_wallet') || name.endsWith('_wallet_secret')) expect([401, 403]).toContain(status);
    }
  });
});

describe('the secret of a wallet', () => {
  it('is in no log after a failure of the database', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const env: Record<string, string> = {
      SUPABASE_URL: 'http://localhost',
      SUPABASE_ANON_KEY: 'anon',
      SUPABASE_SERVICE_ROLE_KEY: 'service',
      WALLET_KEYS: JSON.stringify({ test: Buffer.alloc(32, 7).toString('base64') }),
    };
    const failures = [
      () =>
        Response.json({ code: '23514', message: 'violates check constraint', details: 'Failing row' }, { status: 400 }),
      () => Response.json({ code: 'PGRST001', message: 'connection lost' }, { status: 503 }),
      () => new Response('<html>', { status: 502 }),
      () => {
        throw new TypeError('connection refused');
      },
    ];
    for (const fail of failures) {
      const fakeFetch = (async (input: string) =>
        input.endsWith('/whoami')
          ? Response.json({ user_id: owner.id, is_anonymous: false })
          : fail()) as typeof fetch;
      const app = makeWalletsApp({
        env: (name) =>
          env[name],
        fetch: fakeFetch,
        waitUntil: () => {},
      });
      const response = await app.fetch(
        new Request('http://localhost/wallets/upsert', {
          method: 'POST',
          headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
          body: JSON.stringify(hardcoded(pair)),
        }),
      );
      expect(response.status).toBeGreaterThanOrEqual(500);
      expect(findSecrets(await response.text(), [pair.secretKey])).toEqual([]);
    }
    expect(log.mock.calls).toHaveLength(failures.length);
    const logged = log.mock.calls.flat().map((part) =>
      part instanceof Error ? `${part.stack} ${part.cause}` : String(part)
    );
    log.mockRestore();
    expect(findSecrets(logged.join('\n'), [pair.secretKey, Buffer.alloc(32, 7)])).toEqual([]);
  });
});
