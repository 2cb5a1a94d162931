import { base58 } from '@scure/base';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { readWalletKeys } from '../../platform/secrets/sealed_secrets.ts';
import { unsealWallet } from '../../platform/secrets/wallet_crypto.ts';
import { makeWalletsApp } from '../../functions/wallets/app.ts';
import type { Wallet } from '../../types/wallet.ts';
import { textFlow } from '../support/flow_builder.ts';
import { adapter, findSecrets, hardcoded, makeKeypair, storeKeypair, upsertWallet } from '../support/keypairs.ts';
import { call, deploy, type Person, signUp, storeFlow } from '../support/people.ts';
import { asSuperuser, createApiKey, deleteUser } from '../support/tokens.ts';

let owner: Person;
let other: Person;

beforeAll(async () => {
  [owner, other] = await Promise.all([signUp(), signUp()]);
});

const upsert = async (person: Pick<Person, 'token'>, params: object): Promise<Wallet> => {
  const response = await upsertWallet(person, params);
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return await response.json();
};

/** The stored secret of a wallet, or undefined. */
const storedSecret = (id: number) =>
  asSuperuser(async (sql) => {
    const [row] = await sql<[{ key_id: string; nonce: Uint8Array; ciphertext: Uint8Array }?]>`
      select key_id, nonce, ciphertext from private.wallet_secrets where wallet_id = ${id}`;
    return row;
  });

describe('POST /wallets/upsert', () => {
  it('stores a HARDCODED wallet and returns its row without the secret', async () => {
    const pair = makeKeypair();
    const wallet = await upsert(owner, hardcoded(pair));
    expect(wallet).toEqual({
      id: expect.any(Number),
      user_id: owner.id,
      type: 'HARDCODED',
      name: 'signer',
      public_key: pair.publicKey,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const { data } = await owner.client.from('wallets').select('*').eq('id', wallet.id).single();
    expect(data).toEqual(wallet);
    expect((await other.client.from('wallets').select('*').eq('id', wallet.id)).data).toEqual([]);
    const secret = await storedSecret(wallet.id);
    expect([secret?.key_id, secret?.nonce.length, secret?.ciphertext.length]).toEqual(['local', 12, 48]);
    expect(findSecrets(JSON.stringify(secret), [pair.secretKey])).toEqual([]);
  });

  it('answers with a list if the request prefers a representation', async () => {
    const pair = makeKeypair();
    const response = await call('wallets/upsert', {
      token: owner.token,
      headers: { 'content-type': 'application/json', prefer: 'return=representation' },
      body: JSON.stringify(hardcoded(pair)),
    });
    expect(response.headers.get('preference-applied')).toBe('return=representation');
    expect(await response.json()).toEqual([expect.objectContaining({ public_key: pair.publicKey })]);
  });

  it("accepts the caller's own user_id, in upper or lower case, also with an API key", async () => {
    const pair = makeKeypair();
    const wallet = await upsert(owner, { ...hardcoded(pair), user_id: owner.id });
    expect(wallet.user_id).toBe(owner.id);
    expect(await upsert(owner, { ...hardcoded(pair), user_id: owner.id.toUpperCase() })).toMatchObject({
      id: wallet.id,
    });
    const response = await call('wallets/upsert', {
      headers: { 'x-api-key': (await createApiKey(owner)).key, 'content-type': 'application/json' },
      body: JSON.stringify({ ...hardcoded(pair, 'renamed'), user_id: owner.id }),
    });
    expect([response.status, await response.json()]).toMatchObject([200, { id: wallet.id, name: 'renamed' }]);
  });

  it('stores an ADAPTER wallet, which has no secret', async () => {
    const wallet = await upsert(owner, adapter(makeKeypair().publicKey));
    expect(wallet).toMatchObject({ type: 'ADAPTER', name: 'browser' });
    expect(await storedSecret(wallet.id)).toBeUndefined();
  });

  it('changes the wallet of the same public key, and keeps its secret without a keypair', async () => {
    const pair = makeKeypair();
    const { id, created_at } = await upsert(owner, hardcoded(pair));
    const secret = await storedSecret(id);
    const renamed = await upsert(owner, { type: 'HARDCODED', name: 'renamed', public_key: pair.publicKey });
    expect(renamed).toMatchObject({ id, created_at, type: 'HARDCODED', name: 'renamed' });
    expect(Date.parse(renamed.updated_at)).toBeGreaterThan(Date.parse(created_at));
    expect(await storedSecret(id)).toEqual(secret);

    await upsert(owner, hardcoded(pair));
    const again = await storedSecret(id);
    expect(String(again?.nonce)).not.toBe(String(secret?.nonce));
    expect(String(again?.ciphertext)).not.toBe(String(secret?.ciphertext));
  });

  it('deletes the secret of a wallet that becomes an ADAPTER', async () => {
    const pair = makeKeypair();
    const { id } = await upsert(owner, hardcoded(pair));
    expect(await upsert(owner, adapter(pair.publicKey))).toMatchObject({ id, type: 'ADAPTER' });
    expect(await storedSecret(id)).toBeUndefined();
    const refused = await upsertWallet(owner, { type: 'HARDCODED', name: '', public_key: pair.publicKey });
    expect([refused.status, (await refused.json()).code]).toEqual([400, 'wallet_keypair_required']);
    expect(await upsert(owner, hardcoded(pair))).toMatchObject({ id, type: 'HARDCODED' });
    expect(await storedSecret(id)).toBeDefined();
  });

  it('keeps the wallets of two users with the same key apart', async () => {
    const pair = makeKeypair();
    const [mine, theirs] = await Promise.all([upsert(owner, hardcoded(pair)), upsert(other, adapter(pair.publicKey))]);
    expect(mine.id).not.toBe(theirs.id);
    expect([mine.type, theirs.type]).toEqual(['HARDCODED', 'ADAPTER']);
  });

  it('stores one wallet for many concurrent requests with the same key', async () => {
    const pair = makeKeypair();
    const wallets = await Promise.all(Array.from({ length: 10 }, () => upsert(owner, hardcoded(pair))));
    expect(new Set(wallets.map(({ id }) => id)).size).toBe(1);
    expect(await storedSecret(wallets[0]!.id)).toBeDefined();
  });

  it('accepts an API key as its owner', async () => {
    const { key } = await createApiKey(owner);
    const pair = makeKeypair();
    const response = await call('wallets/upsert', {
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(hardcoded(pair)),
    });
    expect([response.status, (await response.json()).user_id]).toEqual([200, owner.id]);
  });

  it('accepts names of 200 characters of any number of bytes', async () => {
    const name = '🦀'.repeat(200);
    expect((await upsert(owner, adapter(makeKeypair().publicKey, name))).name).toBe(name);
  });

  it('stores a secret that WALLET_KEYS decrypts for this user and public key only', async () => {
    const { API_URL, PUBLISHABLE_KEY, SECRET_KEY } = inject('stack');
    const env: Record<string, string> = {
      SUPABASE_URL: API_URL,
      SUPABASE_ANON_KEY: PUBLISHABLE_KEY,
      SUPABASE_SERVICE_ROLE_KEY: SECRET_KEY,
      WALLET_KEYS: JSON.stringify({ test: Buffer.alloc(32, 7).toString('base64') }),
    };
    const app = makeWalletsApp({ env: (name) => env[name], fetch, waitUntil: () => {} });
    const pair = makeKeypair();
    const response = await app.fetch(
      new Request('http://localhost/wallets/upsert', {
        method: 'POST',
        headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(hardcoded(pair)),
      }),
    );
    expect(response.status).toBe(200);
    // Read the secret as the runner does.
    const secret = await (await fetch(`${API_URL}/rest/v1/rpc/read_wallet_secret`, {
      method: 'POST',
      headers: { apikey: SECRET_KEY, authorization: `Bearer ${SECRET_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ user_id: owner.id, public_key: pair.publicKey }),
    })).json();
    const bytes = (text: string) => new Uint8Array(Buffer.from(text.replace(/^\\x/, ''), 'hex'));
    const sealed = { key_id: secret.key_id, nonce: bytes(secret.nonce), ciphertext: bytes(secret.ciphertext) };
    const keys = readWalletKeys((name) => env[name]);
    const ownWallet = { user_id: owner.id, public_key: pair.publicKey };
    expect(base58.encode(await unsealWallet(keys, ownWallet, sealed))).toBe(pair.keypair);
    await expect(unsealWallet(keys, { ...ownWallet, user_id: other.id }, sealed)).rejects.toThrow("can't be decrypted");
  });

  it('does not start without WALLET_KEYS, with an error that names it', () => {
    const others: Record<string, string> = {
      SUPABASE_URL: 'http://localhost',
      SUPABASE_ANON_KEY: 'anon',
      SUPABASE_SERVICE_ROLE_KEY: 'service',
    };
    expect(() => makeWalletsApp({ env: (name) => others[name], fetch, waitUntil: () => {} })).toThrow('WALLET_KEYS');
  });
});

describe('a wallet that is an action identity', () => {
  it('can be neither deleted nor made an ADAPTER while a deployment names it', async () => {
    const public_key = await storeKeypair(owner);
    const deploymentId = await deploy(owner, await storeFlow(owner, textFlow()));
    const setIdentity = (action_identity: string | null) =>
      owner.client.from('flow_deployments').update({ action_identity }).eq('id', deploymentId);
    const remove = () => owner.client.from('wallets').delete().eq('public_key', public_key).select('id');
    expect((await setIdentity(public_key)).error).toBeNull();

    const { error, status } = await remove();
    expect([status, error?.code]).toEqual([409, 'wallet_in_use']);
    expect(error?.message).toContain(deploymentId);
    const refused = await upsertWallet(owner, adapter(public_key));
    const body = await refused.json();
    expect([refused.status, body.code, body.details]).toEqual([409, 'wallet_in_use', { deployment_id: deploymentId }]);

    expect((await setIdentity(null)).error).toBeNull();
    expect((await remove()).data).toHaveLength(1);
    expect((await setIdentity(public_key)).error?.code).toBe('action_identity_without_wallet');
  });

  it('is deleted with its owner nevertheless', async () => {
    const leaver = await signUp();
    const public_key = await storeKeypair(leaver);
    const deploymentId = await deploy(leaver, await storeFlow(leaver, textFlow()));
    const { error } = await leaver.client.from('flow_deployments').update({ action_identity: public_key })
      .eq('id', deploymentId);
    expect(error).toBeNull();
    await deleteUser(leaver.id);
    await asSuperuser(async (sql) => {
      expect(await sql`select from public.wallets where public_key = ${public_key}`).toHaveLength(0);
      expect(await sql`select from public.flow_deployments where id = ${deploymentId}`).toHaveLength(0);
    });
  });
});

describe('wallets through /rest/v1', () => {
  it('can be inserted as ADAPTER only, and renamed', async () => {
    const { publicKey } = makeKeypair();
    const wallets = owner.client.from('wallets');
    const inserted = await wallets.insert({ type: 'ADAPTER', name: 'mine', public_key: publicKey }).select('*')
      .single();
    expect(inserted.data).toMatchObject({ user_id: owner.id, type: 'ADAPTER' });
    const refused = await wallets.insert({ type: 'HARDCODED', name: 'mine', public_key: makeKeypair().publicKey });
    expect([refused.status, refused.error?.code]).toEqual([400, 'wallet_keypair_required']);
    const twice = await wallets.insert({ type: 'ADAPTER', name: 'again', public_key: publicKey });
    expect(twice.status).toBe(409);
    const wrong = await wallets.insert({ type: 'ADAPTER', name: 'mine', public_key: 'x' });
    expect([wrong.status, wrong.error]).toMatchObject([400, {
      code: 'column_invalid',
      message: 'public_key: must be a public key: base58 of 32 bytes.',
    }]);

    const { id, ...row } = inserted.data!;
    const whole = await wallets.update({ ...row, name: 'renamed' }).eq('id', id).select('name');
    expect(whole.data).toEqual([{ name: 'renamed' }]);
    for (const change of [{ type: 'HARDCODED' }, { public_key: makeKeypair().publicKey }, { user_id: other.id }]) {
      const { error, status } = await wallets.update(change).eq('id', id);
      expect([status, error?.code]).toEqual([400, 'column_read_only']);
    }
    const stolen = await other.client.from('wallets').delete().eq('id', id).select('id');
    expect(stolen.data).toEqual([]);
    expect((await wallets.delete().eq('id', id).select('id')).data).toEqual([{ id }]);
  });
});
