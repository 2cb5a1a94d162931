import { sign } from 'hono/jwt';
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { fillFiles } from '../support/fill_files.ts';
import { makeClient, type Person, signUp } from '../support/people.ts';

let owner: Person;
let other: Person;
beforeAll(async () => {
  [owner, other] = await Promise.all([signUp(), signUp()]);
});

const filesOf = ({ client }: Pick<Person, 'client'>) => client.storage.from('user-storages');
const ask = (path: string, init: RequestInit = {}) => fetch(`${inject('stack').API_URL}/storage/v1/${path}`, init);
const service = () => {
  const { SECRET_KEY } = inject('stack');
  return { apikey: SECRET_KEY, authorization: `Bearer ${SECRET_KEY}` };
};
const answerOf = async (path: string, init?: RequestInit) => {
  const response = await ask(path, init);
  return [response.status, await response.json()];
};
const noObject = { statusCode: '404', error: 'not_found', message: 'Object not found' };

describe('the Storage API of the local stack', () => {
  it('works with supabase-js', async () => {
    const files = filesOf(owner);
    const path = `${owner.id}/a/b.txt`;
    expect((await files.upload(path, 'one', { contentType: 'text/plain' })).data).toMatchObject({ path });
    expect((await files.upload(path, 'two')).error).toMatchObject({ message: 'The resource already exists' });
    expect((await files.upload(path, new Blob(['two'], { type: 'text/x' }), { upsert: true })).error).toBeNull();
    expect(await (await files.download(path)).data?.text()).toBe('two');
    expect((await files.info(path)).data).toMatchObject({ name: path, size: 3, contentType: 'text/x' });
    await files.upload(`${owner.id}/c.txt`, 'c');
    const listed = await files.list(owner.id, { sortBy: { column: 'name', order: 'desc' } });
    expect(listed.data?.map(({ name, id }) => [name, id !== null])).toEqual([['c.txt', true], ['a', false]]);
    expect((await files.list(owner.id, { limit: 1, offset: 1 })).data?.map(({ name }) => name)).toEqual(['c.txt']);
    const { data: signed } = await files.createSignedUrl(path, 60);
    expect(await (await fetch(signed!.signedUrl)).text()).toBe('two');
    expect((await files.remove([path, `${owner.id}/missing`])).data?.map(({ name }) => name)).toEqual([path]);
    expect((await files.exists(path)).data).toBe(false);
  });

  it('lets users reach their own folders only', async () => {
    const path = `${owner.id}/${randomUUID()}`;
    await filesOf(owner).upload(path, 'x');
    for (const stranger of [filesOf(other), filesOf({ client: makeClient() })]) {
      expect((await stranger.download(path)).error?.message).toBe('Object not found');
      expect((await stranger.createSignedUrl(path, 60)).error?.message).toBe('Object not found');
      expect((await stranger.list(owner.id)).data).toEqual([]);
      expect((await stranger.remove([path])).data).toEqual([]);
      const refused = 'new row violates row-level security policy';
      expect((await stranger.upload(`${path}2`, 'x')).error?.message).toBe(refused);
      expect((await stranger.upload(path, 'y', { upsert: true })).error?.message).toBe(refused);
    }
    expect(await (await filesOf(owner).download(path)).data?.text()).toBe('x');
  });

  it('checks the key and the token', async () => {
    const path = `object/user-storages/${owner.id}/none`;
    expect(await answerOf(path, { headers: service() })).toEqual([400, noObject]);
    expect(await answerOf(path)).toEqual([400, {
      statusCode: '400',
      error: 'Error',
      message: "headers must have required property 'authorization'",
    }]);
    const wrong = { statusCode: '403', error: 'Unauthorized', message: 'Invalid Compact JWS' };
    expect(await answerOf(path, { headers: { authorization: 'Bearer x' } })).toEqual([400, wrong]);
    expect((await ask(path, { headers: { ...service(), apikey: 'x' } })).status).toBe(401);
  });

  it('shows a file by a URL that is signed for it, until it expires', async () => {
    const place = `user-storages/${owner.id}/${randomUUID()}`;
    await ask(`object/${place}`, { method: 'POST', body: 'x', headers: service() });
    const { JWT_SECRET } = inject('stack');
    const now = Math.floor(Date.now() / 1_000);
    const shown = async (claims: { url?: string; exp: number; role?: string }, secret = JWT_SECRET) =>
      (await answerOf(`object/sign/${place}?token=${await sign(claims, secret, 'HS256')}`))[1].message;
    expect(await shown({ url: place, exp: now - 1 })).toBe('jwt expired');
    expect(await shown({ url: `${place}2`, exp: now + 60 })).toBe('Invalid signature');
    expect(await shown({ role: 'service_role', exp: now + 60 })).toBe('Invalid signature');
    expect(await shown({ url: place, exp: now + 60 }, 'other')).toBe('Invalid JWT');
    expect((await answerOf(`object/public/${place}`))[1].message).toBe('Bucket not found');
  });

  it.each([
    ['object/nowhere/a', 'Bucket not found'],
    ['object/user-storages/%ff', 'Invalid key: user-storages/%ff'],
    ['object/user-storages/%C3%BC', 'Invalid key: ü'],
    ['object/user-storages/a%5Cb', 'Invalid key: a\\b'],
    ['object/user-storages/%00', 'Invalid key: \0'],
    ['object/user-storages', 'Invalid key: user-storages'],
    [`object/user-storages/${'a'.repeat(1_025)}`, `Invalid key: ${'a'.repeat(100)}`],
  ])('refuses to store %s', async (path, message) => {
    const [status, body] = await answerOf(path, { method: 'POST', body: 'x', headers: service() });
    expect([status, body.message]).toEqual([400, message]);
  });

  it('stores no more bytes of a user than the quota, even by uploads at the same time', async () => {
    const person = await signUp();
    await fillFiles(person, 20_000);
    const files = filesOf(person);
    const upload = (name: string, bytes: number) => files.upload(`${person.id}/${name}`, 'x'.repeat(bytes));
    expect((await upload('large', 20_001)).error).toMatchObject({
      statusCode: '409',
      message: expect.stringContaining('You have reached the quota of bytes of files'),
    });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => upload(`${index}`, 6_000)));
    expect(answers.filter(({ error }) => error === null)).toHaveLength(3);
    expect((await files.list(person.id)).data).toHaveLength(4);
    await files.remove([`${person.id}/filling`]);
    expect((await upload('large', 20_001)).error).toBeNull();
  });

  it('lists a folder by the names of its files and folders', async () => {
    const person = await signUp();
    const files = filesOf(person);
    for (const name of ['b/1', 'b/2', 'a', 'c', 'bb/x/y', 'b.txt']) await files.upload(`${person.id}/${name}`, 'x');
    const names = async (folder: string, options: object = {}) =>
      (await files.list(folder, options)).data?.map(({ name, id }) => id === null ? `${name}/` : name);
    expect(await names(person.id)).toEqual(['a', 'b/', 'b.txt', 'bb/', 'c']);
    expect(await names(person.id, { search: 'b' })).toEqual(['b/', 'b.txt', 'bb/']);
    expect(await names(person.id, { limit: 2, offset: 1 })).toEqual(['b/', 'b.txt']);
    expect(await names(person.id, { sortBy: { column: 'name', order: 'desc' }, limit: 2 })).toEqual(['c', 'bb/']);
    expect(await names(`${person.id}/b`)).toEqual(['1', '2']);
    expect(await names(`${person.id}/`, { search: 'none' })).toEqual([]);
  });

  it('refuses requests of another form', async () => {
    const post = async (path: string, body: string) =>
      (await answerOf(path, { method: 'POST', body, headers: service() }))[1].message;
    expect(await post('object/list/user-storages', '{')).toMatch(/^body\//);
    expect(await post('object/list/user-storages', '{"limit":1001}')).toMatch(/^body\/limit /);
    expect(await post('object/list/user-storages', '{"sortBy":{"column":"version"}}')).toMatch(
      /^body\/sortBy\/column /,
    );
    expect(await post('object/sign/user-storages/a', '{"expiresIn":0}')).toMatch(/^body\/expiresIn /);
    expect(await post('object/list/user-storages', '{"prefix":"\\u0000"}')).toBe('a text holds NUL');
    expect((await answerOf('object/user-storages/%00', { headers: service() }))[1].message).toBe('a text holds NUL');
    expect((await answerOf('object/sign/user-storages/%ff?token=x'))[1].message).toBe('Invalid key: user-storages/%ff');
    expect(await answerOf('bucket', { headers: service() })).toEqual([404, {
      statusCode: 404,
      error: 'Not Found',
      message: 'Route GET:/bucket not found',
    }]);
  });
});
