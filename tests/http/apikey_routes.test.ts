import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { call, type Person, signUp } from '../support/people.ts';
import { anonymousSignIn, createApiKey } from '../support/tokens.ts';

let owner: Person;

beforeAll(async () => {
  owner = await signUp();
});

async function apikey(route: string, credential: { token?: string; headers?: Record<string, string> }, body?: unknown) {
  const response = await call(`apikey/${route}`, {
    method: body === undefined ? 'GET' : 'POST',
    ...credential,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...credential.headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return [response.status, await response.json()];
}
const own = () => ({ token: owner.token });
const byKey = (key: string) => ({ headers: { 'x-api-key': key } });

it('makes a key that works until it is deleted', async () => {
  const [status, made] = await apikey('create', own(), { name: 'ci' });
  expect([status, made]).toEqual([200, {
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    key_hash: expect.any(String),
    name: 'ci',
    trimmed_key: made.full_key.slice(0, 10),
    user_id: owner.id,
    full_key: expect.stringMatching(/^fk_[\w-]{43}$/),
  }]);
  const { data } = await owner.client.from('api_keys').select('id, name, prefix').eq('name', 'ci').single();
  expect(data).toEqual({ id: made.key_hash, name: 'ci', prefix: made.trimmed_key });
  expect(await apikey('info', byKey(made.full_key))).toEqual([200, { user_id: owner.id }]);
  expect(await apikey('info', own())).toEqual([200, { user_id: owner.id }]);
  expect(await apikey('delete', own(), { key_hash: made.key_hash })).toEqual([200, {}]);
  expect(await apikey('info', byKey(made.full_key))).toMatchObject([401, { code: 'api_key_invalid' }]);
  expect(await apikey('delete', own(), { key_hash: made.key_hash })).toMatchObject([404, {
    code: 'api_key_not_found',
  }]);
});

it("a key can revoke itself, but can't make another one", async () => {
  const { id, key } = await createApiKey(owner);
  expect(await apikey('create', byKey(key), { name: 'x' })).toMatchObject([403, { code: 'token_required' }]);
  expect(await apikey('delete', byKey(key), { key_hash: id })).toEqual([200, {}]);
  expect(await apikey('info', byKey(key))).toMatchObject([401, { code: 'api_key_invalid' }]);
});

it("another user's key gets the same 404 as a missing one", async () => {
  const { id } = await createApiKey(owner);
  const other = { token: (await signUp()).token };
  const answers = [
    await apikey('delete', other, { key_hash: id }),
    await apikey('delete', other, { key_hash: randomUUID() }),
  ];
  expect(answers[0]).toEqual(answers[1]);
  expect(answers[0]).toMatchObject([404, { code: 'api_key_not_found' }]);
  expect((await owner.client.from('api_keys').select('id').eq('id', id)).data).toEqual([{ id }]);
});

it('requires a credential', async () => {
  const { id } = await createApiKey(owner);
  for (const [route, body] of [['create', { name: 'x' }], ['delete', { key_hash: id }], ['info', undefined]] as const) {
    expect(await apikey(route, {}, body)).toMatchObject([401, { code: 'unauthenticated' }]);
    expect(await apikey(route, { token: 'eyJ.e.x' }, body)).toMatchObject([401, { code: 'token_invalid' }]);
  }
  const anonymous = { token: (await anonymousSignIn()).token };
  expect(await apikey('create', anonymous, { name: 'x' })).toMatchObject([403, { code: 'token_required' }]);
});

it.each<[string, string, unknown, string]>([
  ['no name', 'create', {}, 'name'],
  ['an empty name', 'create', { name: '' }, 'name'],
  ['a name of 101 characters', 'create', { name: 'x'.repeat(101) }, 'name'],
  ['an unknown member', 'create', { name: 'x', scopes: [] }, 'scopes'],
  ['a malformed key_hash', 'delete', { key_hash: 'x' }, 'key_hash'],
  ['a key in place of its key_hash', 'delete', { full_key: 'fk_x' }, 'key_hash'],
])('refuses %s', async (_what, route, body, path) => {
  const [status, { code, details }] = await apikey(route, own(), body);
  expect([status, code, details[0].path]).toEqual([400, 'request_invalid', path]);
});

it('accepts only its own methods', async () => {
  const got = await call('apikey/create', { method: 'GET', ...own() });
  expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
  const posted = await call('apikey/info', { ...own() });
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET']);
  expect((await call('apikey/list', { method: 'GET', ...own() })).status).toBe(404);
  const large = await call('apikey/create', {
    ...own(),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'x'.repeat(20_000) }),
  });
  expect(large.status).toBe(413);
});
