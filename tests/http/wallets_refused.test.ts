import { base58 } from '@scure/base';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { adapter, findSecrets, hardcoded, type Keypair, makeKeypair, upsertWallet } from '../support/keypairs.ts';
import { call, type Person, signUp } from '../support/people.ts';
import { accessToken, anonymousSignIn, deleteUser } from '../support/tokens.ts';

let owner: Person;

beforeAll(async () => {
  owner = await signUp();
});

describe('a wallet that is refused', () => {
  const pair = makeKeypair();
  const foreign = makeKeypair();
  const halves = (first: Keypair, second: Keypair) =>
    base58.encode(new Uint8Array([...first.secretKey, ...base58.decode(second.publicKey)]));
  const cases: [string, unknown, number, string, string?][] = [
    ['no body', undefined, 400, 'request_invalid', 'type'],
    ['an unknown type', { ...hardcoded(pair), type: 'hardcoded' }, 400, 'request_invalid', 'type'],
    ['no type', { ...hardcoded(pair), type: undefined }, 400, 'request_invalid', 'type'],
    ['no name', { ...hardcoded(pair), name: undefined }, 400, 'request_invalid', 'name'],
    ['a name that is not a text', { ...hardcoded(pair), name: 5 }, 400, 'request_invalid', 'name'],
    ['a name of 201 characters', { ...hardcoded(pair), name: 'ä'.repeat(201) }, 400, 'request_invalid', 'name'],
    ['a name with NUL', { ...hardcoded(pair), name: 'a\0b' }, 400, 'request_invalid', 'name'],
    ['a name with half a character', { ...hardcoded(pair), name: '\ud800' }, 400, 'request_invalid', 'name'],
    ['no public key', { ...hardcoded(pair), public_key: undefined }, 400, 'request_invalid', 'public_key'],
    [
      'a public key of 31 bytes',
      { ...hardcoded(pair), public_key: '1'.repeat(31) },
      400,
      'request_invalid',
      'public_key',
    ],
    ['a secret as public key', { ...hardcoded(pair), public_key: pair.keypair }, 400, 'request_invalid', 'public_key'],
    ['a key pair of 32 bytes', { ...hardcoded(pair), keypair: pair.publicKey }, 400, 'request_invalid', 'keypair'],
    ['a key pair of 65 bytes', { ...hardcoded(pair), keypair: `1${pair.keypair}` }, 400, 'request_invalid', 'keypair'],
    [
      'a key pair in base64',
      {
        ...hardcoded(pair),
        keypair: Buffer.from(base58.decode(pair.keypair)).toString('base64'),
      },
      400,
      'request_invalid',
      'keypair',
    ],
    [
      'a key pair as a list of bytes',
      {
        ...hardcoded(pair),
        keypair: [...base58.decode(pair.keypair)],
      },
      400,
      'request_invalid',
      'keypair',
    ],
    ['null as key pair', { ...hardcoded(pair), keypair: null }, 400, 'request_invalid', 'keypair'],
    ['an ADAPTER with a key pair', { ...hardcoded(pair), type: 'ADAPTER' }, 400, 'request_invalid', 'keypair'],
    [
      'an unknown member',
      { ...hardcoded(pair), wallet_id: 5 },
      400,
      'request_invalid',
      'wallet_id',
    ],
    ['a user_id that is not a UUID', { ...hardcoded(pair), user_id: 5 }, 400, 'request_invalid', 'user_id'],
    [
      'the user_id of nobody',
      { ...hardcoded(pair), user_id: '0b8b8f3e-5c3f-4c39-9d5a-0d6d4f1c7e11' },
      404,
      'wallet_not_found',
    ],
    [
      'the public key of another pair',
      { ...hardcoded(pair), public_key: foreign.publicKey },
      400,
      'wallet_key_mismatch',
    ],
    ["another pair's public half", { ...hardcoded(pair), keypair: halves(pair, foreign) }, 400, 'wallet_key_mismatch'],
    ["another pair's secret half", { ...hardcoded(pair), keypair: halves(foreign, pair) }, 400, 'wallet_key_mismatch'],
    [
      'a new HARDCODED wallet without key pair',
      { ...hardcoded(pair), keypair: undefined },
      400,
      'wallet_keypair_required',
    ],
  ];

  it.each(cases)('answers %s with its error, and stores nothing', async (_what, params, status, code, path) => {
    const response = await call('wallets/upsert', {
      token: owner.token,
      ...(params !== undefined && { body: JSON.stringify(params), headers: { 'content-type': 'application/json' } }),
    });
    const text = await response.text();
    const body = JSON.parse(text);
    expect([response.status, body.code]).toEqual([status, code]);
    expect(Object.keys(body).toSorted()).toEqual(['code', 'details', 'error', 'hint', 'message']);
    expect(body.error).toBe(body.message);
    if (path !== undefined) {
      expect(body.details[0].path).toBe(path);
      expect(body.message).toContain(path);
    }
    expect(findSecrets(text, [pair.secretKey, foreign.secretKey, base58.decode(pair.keypair)])).toEqual([]);
    const { data } = await owner.client.from('wallets').select('id').in('public_key', [
      pair.publicKey,
      foreign.publicKey,
    ]);
    expect(data).toEqual([]);
  });

  it("answers the same 404 to the user_id of another user, of the wallet's owner and of no user, and changes nothing", async () => {
    const other = await signUp();
    const wallet = adapter(pair.publicKey);
    expect((await upsertWallet(other, wallet)).status).toBe(200);
    const ids = [other.id, other.id.toUpperCase(), '0b8b8f3e-5c3f-4c39-9d5a-0d6d4f1c7e11'];
    const answers = await Promise.all(ids.map(async (user_id) => {
      // The key pair belongs to another wallet. The answer must not show this: the database checks the owner first.
      const params = { ...hardcoded(foreign), public_key: pair.publicKey, name: 'mine now', user_id };
      const response = await upsertWallet(owner, params);
      return [response.status, await response.text()];
    }));
    expect(new Set(answers.map(String)).size).toBe(1);
    expect(answers[0]).toEqual([404, expect.stringContaining('wallet_not_found')]);
    const { data } = await other.client.from('wallets').select('type, name').throwOnError();
    expect(data).toEqual([{ type: 'ADAPTER', name: wallet.name }]);
  });

  const requests: [string, RequestInit & { token?: string }, number, string][] = [
    ['another method', { method: 'GET', body: undefined }, 405, 'method_not_allowed'],
    ['another type of body', { headers: { 'content-type': 'text/plain' } }, 415, 'media_type_unsupported'],
    // Errors of JSON.parse quote the text around the fault, which holds the secret here.
    ['a secret that is not JSON', { body: `{"keypair": ${pair.keypair}}` }, 400, 'request_invalid'],
    ['nothing but a secret', { body: pair.keypair }, 400, 'request_invalid'],
    ['a secret in quotes', { body: JSON.stringify(pair.keypair) }, 400, 'request_invalid'],
    ['a body over 1 MiB', { body: JSON.stringify({ name: 'x'.repeat(1_048_576) }) }, 413, 'body_too_large'],
  ];
  it.each(requests)('answers %s without quoting it', async (_what, init, status, code) => {
    const response = await call('wallets/upsert', {
      token: owner.token,
      body: JSON.stringify(hardcoded(pair)),
      headers: { 'content-type': 'application/json' },
      ...init,
    });
    const text = await response.text();
    expect([response.status, JSON.parse(text).code]).toEqual([status, code]);
    for (const part of [pair.keypair.slice(0, 4), pair.keypair.slice(-4)]) expect(text).not.toContain(part);
  });

  const callers: [string, () => Promise<Record<string, string>> | Record<string, string>, number, string][] = [
    ['nobody', () => ({}), 401, 'unauthenticated'],
    [
      'the publishable key',
      () => ({ authorization: `Bearer ${inject('stack').PUBLISHABLE_KEY}` }),
      401,
      'unauthenticated',
    ],
    ['a public key', () => ({ authorization: `Bearer ${pair.publicKey}` }), 401, 'unauthenticated'],
    ['an unknown API key', () => ({ 'x-api-key': `fk_${'A'.repeat(43)}` }), 401, 'api_key_invalid'],
    ['a malformed token', () => ({ authorization: 'Bearer malformed' }), 401, 'token_invalid'],
    ['the service role', () => ({ authorization: `Bearer ${inject('stack').SERVICE_ROLE_KEY}` }), 401, 'token_invalid'],
    [
      'a forged token',
      async () => ({
        authorization: `Bearer ${await accessToken(owner.id, { secret: 'another secret of 32 characters.' })}`,
      }),
      401,
      'token_invalid',
    ],
    [
      'an expired token',
      async () => ({
        authorization: `Bearer ${await accessToken(owner.id, { expiresIn: -60 })}`,
      }),
      401,
      'token_invalid',
    ],
    [
      'a deleted user',
      async () => {
        const gone = await signUp();
        await deleteUser(gone.id);
        return { authorization: `Bearer ${gone.token}` };
      },
      401,
      'token_invalid',
    ],
    [
      'an anonymous sign-in',
      async () => ({
        authorization: `Bearer ${(await anonymousSignIn()).token}`,
      }),
      403,
      'token_required',
    ],
  ];
  it.each(callers)('answers %s with its error', async (_who, headers, status, code) => {
    const response = await call('wallets/upsert', {
      headers: { 'content-type': 'application/json', ...await headers() },
      body: JSON.stringify(hardcoded(pair)),
    });
    const text = await response.text();
    expect([response.status, JSON.parse(text).code]).toEqual([status, code]);
    expect(findSecrets(text, [pair.secretKey])).toEqual([]);
  });
});
