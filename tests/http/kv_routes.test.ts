import { beforeAll, expect, inject, it } from 'vitest';
import { FlowBuilder } from '../support/flow_builder.ts';
import { call, deploy, finishedRun, type Person, signUp, start, storeFlow } from '../support/people.ts';
import { accessToken, anonymousSignIn, createApiKey } from '../support/tokens.ts';

let owner: Person;
let apiKey: string;

beforeAll(async () => {
  owner = await signUp();
  apiKey = (await createApiKey(owner)).key;
});

/** Calls a route of `kv` and returns the status and the body. */
async function kv(route: string, body: unknown, credential: { token?: string; headers?: Record<string, string> }) {
  const response = await call(`kv/${route}`, {
    ...credential,
    headers: { 'content-type': 'application/json', ...credential.headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return [response.status, await response.json()];
}
const own = (route: string, body: unknown) => kv(route, body, { token: owner.token });
const codeOf = async (route: string, body: unknown, credential: Parameters<typeof kv>[2] = { token: owner.token }) => {
  const [status, { code }] = await kv(route, body, credential);
  return [status, code];
};

it('stores, replaces, reads and deletes values, by access token and by API key', async () => {
  const byKey = { headers: { 'x-api-key': apiKey } };
  const item = { store: 'life', key: 'a key, 🦊' };
  expect(await own('create_store', { store: 'life' })).toEqual([200, { success: true }]);
  expect(await own('create_store', { store: 'life' })).toMatchObject([409, { code: 'kv_store_exists' }]);
  expect(await kv('write_item', { ...item, value: { U: '18446744073709551615' } }, byKey)).toEqual([200, {}]);
  expect(await own('write_item', { ...item, value: { M: { a: { A: [{ D: '1.50' }] } } } })).toEqual([200, {
    old_value: { U: '18446744073709551615' },
  }]);
  const stored = { M: { a: { A: [{ D: '1.50' }] } } };
  expect(await kv('read_item', item, byKey)).toEqual([200, { value: stored }]);
  expect(await own('delete_item', item)).toEqual([200, { old_value: stored }]);
  expect(await own('delete_item', item)).toMatchObject([404, { code: 'kv_item_not_found' }]);
  expect(await own('read_item', item)).toMatchObject([404, { code: 'kv_item_not_found' }]);
  expect(await kv('delete_store', { store: 'life' }, byKey)).toEqual([200, { success: true }]);
  expect(await own('delete_store', { store: 'life' })).toMatchObject([404, { code: 'kv_store_not_found' }]);
});

it('a flow reads values of a program, and a program reads values of a flow', async () => {
  await own('create_store', { store: 'shared' });
  await own('write_item', { store: 'shared', key: 'in', value: { S: 'from a program' } });
  const flow = new FlowBuilder();
  const reading = flow.node('kv_read_item', {
    inputs: ['store', 'key', 'default?'],
    outputs: ['value', 'found'],
    form: { store: 'shared', key: 'in' },
  });
  flow.node('kv_write_item', {
    inputs: ['store»', 'key»', 'value»'],
    outputs: ['old_value?'],
    form: { store: 'shared', key: 'out', value: 'from a flow' },
  });
  flow.output('value', reading.output('value'));
  const { flow_run_id } = await start(owner, `id=${await deploy(owner, await storeFlow(owner, flow))}`);
  const { errors, output } = await finishedRun(owner, flow_run_id);
  expect([errors, output]).toEqual([null, { M: { value: { S: 'from a program' } } }]);
  expect(await own('read_item', { store: 'shared', key: 'out' })).toEqual([200, { value: { S: 'from a flow' } }]);
});

it('stores of other users are separate', async () => {
  await own('create_store', { store: 'mine' });
  await own('write_item', { store: 'mine', key: 'k', value: { N: 0 } });
  const other = { token: (await signUp()).token };
  expect(await kv('read_item', { store: 'mine', key: 'k' }, other)).toEqual(
    await kv('read_item', { store: 'mine', key: 'k' }, { token: (await signUp()).token }),
  );
  expect(await codeOf('write_item', { store: 'mine', key: 'k', value: { N: 0 } }, other)).toEqual([
    404,
    'kv_store_not_found',
  ]);
  expect(await kv('create_store', { store: 'mine' }, other)).toEqual([200, { success: true }]);
});

it("anonymous users, run tokens and the service role can't have stores", async () => {
  const store = { store: 'none' };
  const refused = async (credential: Parameters<typeof kv>[2]) => await codeOf('create_store', store, credential);
  expect(await refused({ token: (await anonymousSignIn()).token })).toEqual([403, 'token_required']);
  expect(await refused({})).toEqual([401, 'unauthenticated']);
  expect(await refused({ token: 'da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs' })).toEqual([401, 'unauthenticated']);
  expect(await refused({ token: inject('stack').SERVICE_ROLE_KEY })).toEqual([401, 'token_invalid']);
  expect(await refused({ token: await accessToken(owner.id, { expiresIn: -60 }) })).toEqual([401, 'token_invalid']);
  expect(await refused({ token: `fk_${'A'.repeat(43)}` })).toEqual([401, 'api_key_invalid']);
});

it.each<[string, string, unknown, number, string, string?]>([
  ['no store', 'create_store', {}, 400, 'request_invalid', 'store'],
  ['a store that is a number', 'delete_store', { store: 7 }, 400, 'request_invalid', 'store'],
  ['an unknown member', 'read_item', { store: 'a', key: 'k', keys: [] }, 400, 'request_invalid', 'keys'],
  ['no value', 'write_item', { store: 'a', key: 'k' }, 400, 'request_invalid', 'value'],
  ['a value without a tag', 'write_item', { store: 'a', key: 'k', value: 'x' }, 400, 'request_invalid', 'value'],
  [
    'a number out of range',
    'write_item',
    { store: 'a', key: 'k', value: { U: '-1' } },
    400,
    'request_invalid',
    'value.U',
  ],
  ['a list in place of a body', 'write_item', [], 400, 'request_invalid'],
  ['malformed JSON', 'read_item', '{"store":', 400, 'request_invalid'],
  ['a name that begins with a digit', 'create_store', { store: '1a' }, 400, 'kv_store_name_invalid'],
  ['a name of 121 letters', 'create_store', { store: 'a'.repeat(121) }, 400, 'kv_store_name_invalid'],
  ['a store that does not exist', 'read_item', { store: 'nowhere', key: 'k' }, 404, 'kv_store_not_found'],
  ['a name with NUL', 'create_store', { store: 'a\0' }, 400, 'request_invalid'],
  ['a body over 1 MiB', 'write_item', { value: { S: 'x'.repeat(1_048_576) } }, 413, 'body_too_large'],
])('refuses %s', async (_what, route, body, status, code, path) => {
  const [given, answer] = await own(route, body);
  expect([given, answer.code, answer.error]).toEqual([status, code, answer.message]);
  if (path !== undefined) expect(answer.details[0].path).toBe(path);
});

it('refuses keys that are too short or too long, by their bytes', async () => {
  await own('create_store', { store: 'keys' });
  const write = (key: string) => codeOf('write_item', { store: 'keys', key, value: { N: 0 } });
  expect(await write('')).toEqual([400, 'kv_key_invalid']);
  expect(await write('é'.repeat(513))).toEqual([400, 'kv_key_invalid']);
  expect(await write('é'.repeat(512))).toEqual([200, undefined]);
});

it('accepts only POST and JSON', async () => {
  const got = await call('kv/read_item', { method: 'GET', token: owner.token });
  expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
  const text = await call('kv/read_item', {
    token: owner.token,
    body: '{}',
    headers: { 'content-type': 'text/plain' },
  });
  expect(text.status).toBe(415);
  expect((await call('kv/list', { token: owner.token })).status).toBe(404);
  const preflight = await call('kv/read_item', { method: 'OPTIONS' });
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
});

it('two concurrent writes each get the value that they replaced', async () => {
  await own('create_store', { store: 'race' });
  const written = Array.from({ length: 20 }, (_, index) => String(index));
  const answers = await Promise.all(
    written.map((U) => own('write_item', { store: 'race', key: 'k', value: { U } })),
  );
  const [, { value }] = await own('read_item', { store: 'race', key: 'k' });
  const replaced = answers.flatMap(([, { old_value }]) => old_value === undefined ? [] : [old_value.U]);
  expect([...replaced, value.U].toSorted()).toEqual(written.toSorted());
});

it('enforces the limit of 100 stores for programs', async () => {
  const person = await signUp();
  const create = (index: number) => codeOf('create_store', { store: `s${index}` }, { token: person.token });
  for (let index = 0; index < 100; index += 10) {
    await Promise.all(Array.from({ length: 10 }, (_, offset) => create(index + offset)));
  }
  expect(await create(100)).toEqual([409, 'kv_stores_limit']);
});
