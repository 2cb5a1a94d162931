import { beforeAll, expect, inject, it } from 'vitest';
import { makeDefinition, merge, type NodeInsert, post, readBy } from '../support/nodes.ts';
import { type Person, signUp } from '../support/people.ts';
import { rest, type RestRequest } from '../support/rest.ts';
import { accessToken, anonymousSignIn, asSuperuser, createApiKey, deleteUser } from '../support/tokens.ts';

let service: RestRequest;
let user: Person;
let other: Person;
let publisher: Person;

const addPublisher = (person: Person) =>
  asSuperuser((sql) => sql`insert into private.node_publishers values (${person.id})`);
const removePublisher = (person: Person) =>
  asSuperuser((sql) => sql`delete from private.node_publishers where user_id = ${person.id}`);

beforeAll(async () => {
  service = { apikey: inject('stack').SERVICE_ROLE_KEY };
  [user, other, publisher] = await Promise.all([signUp(), signUp(), signUp()]);
  await addPublisher(publisher);
});

/** Returns how many rows of a definition each caller sees: the owner, another user, and a visitor. */
const seenBy = async (definition: NodeInsert): Promise<number[]> =>
  (await Promise.all(
    [{ token: user.token }, { token: other.token }, {}].map((credential) => readBy(credential, definition)),
  )).map((rows) => rows.length);

it('node definitions of a user belong to the user and are private', async () => {
  const definition = makeDefinition();
  const row = await post(definition, { token: user.token });
  expect(row).toMatchObject({ user_id: user.id, is_public: false });
  expect(await seenBy(definition)).toEqual([1, 0, 0]);
  for (const token of [other.token, publisher.token]) {
    const write = { token, headers: { prefer: 'return=representation' } };
    expect(await rest(`nodes?id=eq.${row.id}`, { method: 'PATCH', body: { type: 'x' }, ...write })).toEqual({
      status: 200,
      body: [],
    });
    expect((await rest(`nodes?id=eq.${row.id}`, { method: 'DELETE', ...write })).body).toEqual([]);
  }
  // If another user posts the same definition, it becomes another row.
  expect((await post(definition, { token: other.token })).user_id).toBe(other.id);
  expect((await rest(`nodes?id=eq.${row.id}`, { method: 'DELETE', token: user.token })).status).toBe(204);
  expect(await seenBy(definition)).toEqual([0, 1, 0]);
});

it('node definitions that are posted with an API key belong to its user', async () => {
  const headers = { 'x-api-key': (await createApiKey(user)).key };
  const definition = makeDefinition();
  expect(await post(definition, { headers })).toMatchObject({ user_id: user.id, is_public: false });
  expect(await readBy({ headers }, definition)).toHaveLength(1);
  expect(await seenBy(definition)).toEqual([1, 0, 0]);
});

it('node definitions of an anonymous sign-in are private', async () => {
  const visitor = await anonymousSignIn();
  const definition = makeDefinition();
  const row = await post(definition, { token: visitor.token });
  expect(row).toMatchObject({ user_id: visitor.id, is_public: false });
  expect(await seenBy(definition)).toEqual([0, 0, 0]);
});

it('node definitions of a publisher belong to the publisher and are public', async () => {
  const definition = makeDefinition();
  const row = await post(definition, { token: publisher.token });
  expect(row).toMatchObject({ user_id: publisher.id, is_public: true });
  expect(await seenBy(definition)).toEqual([1, 1, 1]);
  for (const token of [user.token, undefined]) {
    const { status, body } = await rest(`nodes?id=eq.${row.id}`, {
      method: 'PATCH',
      body: { type: 'x' },
      token,
      headers: { prefer: 'return=representation' },
    });
    expect([status, body.code ?? body]).toEqual(token === undefined ? [401, '42501'] : [200, []]);
  }
  const changed = await rest('nodes', {
    body: { ...definition, type: 'WASM' },
    token: publisher.token,
    headers: merge,
  });
  expect(changed).toMatchObject({ status: 200, body: [{ id: row.id, type: 'WASM', is_public: true }] });
});

it('node definitions become public with a post by a new publisher, and private with a post by a former one', async () => {
  const person = await signUp();
  const definition = makeDefinition();
  expect((await post(definition, { token: person.token })).is_public).toBe(false);
  const again = async () =>
    (await rest('nodes', { body: definition, token: person.token, headers: merge })).body[0].is_public;
  await addPublisher(person);
  expect(await again()).toBe(true);
  expect(await seenBy(definition)).toEqual([1, 1, 1]);
  await removePublisher(person);
  expect(await again()).toBe(false);
  expect(await seenBy(definition)).toEqual([0, 0, 0]);
});

it('node definitions of the service role are public and have no owner, with both generations of its key', async () => {
  const { SERVICE_ROLE_KEY, SECRET_KEY } = inject('stack');
  for (const apikey of [SERVICE_ROLE_KEY, SECRET_KEY]) {
    const definition = makeDefinition({ user_id: user.id, is_public: false });
    const row = await post(definition, { apikey });
    expect(row).toMatchObject({ user_id: null, is_public: true, owner_key: '00000000-0000-0000-0000-000000000000' });
    expect(await seenBy(definition)).toEqual([1, 1, 1]);
  }
});

it('node definitions of a user keep their owner and stay private when the service role changes them', async () => {
  const definition = makeDefinition();
  const row = await post(definition, { token: user.token });
  const write = { method: 'PATCH', body: { type: 'mock', is_public: true, user_id: null }, ...service };
  expect((await rest(`nodes?id=eq.${row.id}`, write)).status).toBe(204);
  expect(await readBy(service, definition)).toMatchObject([{ type: 'mock', user_id: user.id, is_public: false }]);
});

it("node definitions can't be written without a valid credential", async () => {
  const definition = makeDefinition();
  const gone = await signUp();
  await deleteUser(gone.id);
  const { ANON_KEY, PUBLISHABLE_KEY } = inject('stack');
  const credentials: RestRequest[] = [
    {},
    { token: PUBLISHABLE_KEY },
    { apikey: ANON_KEY, token: ANON_KEY },
    { token: await accessToken(user.id, { secret: 'x'.repeat(32) }) },
    { token: await accessToken(user.id, { expiresIn: -60 }) },
    { token: gone.token },
    { headers: { 'x-api-key': `fk_${'A'.repeat(43)}` } },
  ];
  for (const credential of credentials) {
    expect((await rest('nodes', { body: definition, ...credential })).status).toBe(401);
  }
  expect((await fetch(`${inject('stack').API_URL}/rest/v1/nodes`, { method: 'POST', body: '{}' })).status).toBe(401);
  for (const method of ['PATCH', 'DELETE']) {
    const { status } = await rest('nodes?node_id=eq.x', {
      method,
      body: method === 'PATCH' ? { type: 'x' } : undefined,
    });
    expect(status).toBe(401);
  }
  expect(await readBy(service, definition)).toEqual([]);
});
