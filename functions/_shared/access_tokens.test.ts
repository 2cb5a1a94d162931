import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { makeAccessTokens } from './access_tokens.ts';
import { makePublishedKeys } from './published_keys.ts';

type Algorithm = 'ES256' | 'RS256' | 'EdDSA';

/** Answers requests for the public keys, as Supabase Auth would. */
let answer: (response: ServerResponse) => void;
let requests: number;
let server: Server;
let url: string;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  requests = 0;
  server = createServer((request, response) => {
    expect(request.url).toBe('/auth/v1/.well-known/jwks.json');
    requests++;
    answer(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // SAFETY: the server listens on a port.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  vi.useRealTimers();
  server.close();
  server.closeAllConnections();
});

async function makeKey(alg: Algorithm) {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const kid = randomUUID();
  return { alg, kid, privateKey, published: { ...await exportJWK(publicKey), kid, alg, use: 'sig' } };
}
type Key = Awaited<ReturnType<typeof makeKey>>;

const publish = (...keys: Key[]) => {
  const body = JSON.stringify({ keys: keys.map(({ published }) => published) });
  answer = (response) => void response.end(body);
};
const sign = ({ alg, kid, privateKey }: Pick<Key, 'alg' | 'kid' | 'privateKey'>, sub = 'ann', seconds = 3_600) =>
  new SignJWT({ role: 'authenticated' }).setProtectedHeader({ alg, kid }).setSubject(sub)
    .setExpirationTime(Math.floor(Date.now() / 1_000) + seconds).sign(privateKey);
const signBySecret = (sub = 'ann', seconds = 3_600) =>
  new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).setSubject(sub)
    .setExpirationTime(Math.floor(Date.now() / 1_000) + seconds).sign(new Uint8Array(32));
const make = () => makeAccessTokens(makePublishedKeys(url, fetch));
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

it.each<Algorithm>(['ES256', 'RS256', 'EdDSA'])(
  'finds the user of a token that a published key of %s verifies',
  async (alg) => {
    const [key, other] = [await makeKey(alg), await makeKey(alg)];
    publish(key);
    const tokens = make();
    expect(await tokens.userOf(await sign(key))).toBe('ann');
    expect(await tokens.userOf(await sign(key, 'bob'))).toBe('bob');
    expect(await tokens.userOf(await sign({ ...other, kid: key.kid }))).toBeUndefined();
    expect(await tokens.userOf(await sign(key, 'ann', -60))).toBeUndefined();
    expect(await tokens.userOf(`${await sign(key)}x`)).toBeUndefined();
    expect(requests).toBe(1);
  },
);

it('keeps keys for ten minutes and requests unknown keys at most every 30 seconds', async () => {
  const [first, second] = [await makeKey('ES256'), await makeKey('ES256')];
  publish(first);
  const tokens = make();
  expect(await tokens.userOf(await sign(first))).toBe('ann');
  publish(first, second);
  pass(29_000);
  for (let count = 0; count < 20; count++) expect(await tokens.userOf(await sign(second, `${count}`))).toBeUndefined();
  expect(requests).toBe(1);
  pass(2_000);
  expect(await tokens.userOf(await sign(second, 'bob'))).toBe('bob');
  expect(requests).toBe(2);
  // From now on, the server publishes the second key only.
  publish(second);
  pass(599_000);
  expect(await tokens.userOf(await sign(first, 'cat'))).toBe('cat');
  pass(2_000);
  expect(await tokens.userOf(await sign(first, 'dan'))).toBeUndefined();
  expect(requests).toBe(3);
});

const wrongAnswers: [string, (response: ServerResponse) => void][] = [
  ['404', (response) => void response.writeHead(404).end('{"keys":[]}')],
  ['500', (response) => void response.writeHead(500).end()],
  ['a page', (response) => void response.end('<html>')],
  ['other JSON', (response) => void response.end('{"keys":{}}')],
  ['null', (response) => void response.end('null')],
  ['an oversized answer', (response) => void response.end(JSON.stringify({ keys: [], more: 'x'.repeat(70_000) }))],
  ['a redirect', (response) => void response.writeHead(302, { location: '/elsewhere' }).end()],
  ['half an answer', (response) => {
    response.writeHead(200, { 'content-length': 100 }).write('{');
    setTimeout(() => response.destroy(), 20);
  }],
  ['nothing', (response) => void response.destroy()],
  ['silence', () => {}],
];

it.each(wrongAnswers)('after %s as answer, no token is verified and the next request pauses', async (_, wrong) => {
  const key = await makeKey('ES256');
  answer = wrong;
  const tokens = make();
  expect(await Promise.all([sign(key), sign(key, 'bob')].map(async (token) => tokens.userOf(await token))))
    .toEqual([undefined, undefined]);
  expect(await tokens.userOf(await sign(key, 'cat'))).toBeUndefined();
  expect(requests).toBe(1);
  publish(key);
  pass(31_000);
  expect(await tokens.userOf(await sign(key))).toBe('ann');
  // If Auth gives a wrong answer, the earlier keys are still used.
  answer = wrong;
  pass(601_000);
  expect(await tokens.userOf(await sign(key, 'dan'))).toBe('dan');
});

it('all tokens wait for one slow answer together', async () => {
  const key = await makeKey('RS256');
  publish(key);
  const publishNow = answer;
  answer = (response) => void setTimeout(() => publishNow(response), 300);
  const tokens = make();
  const shown = await Promise.all(Array.from({ length: 20 }, (_, n) => sign(key, `${n}`)));
  expect(await Promise.all(shown.map(tokens.userOf))).toEqual(Array.from({ length: 20 }, (_, n) => `${n}`));
  expect(requests).toBe(1);
});

it('a token without a published key has its user from its acceptance to its end, without a request for keys', async () => {
  publish();
  const tokens = make();
  const token = await signBySecret();
  expect(await tokens.userOf(token)).toBeUndefined();
  await tokens.accept(token);
  expect(await tokens.userOf(token)).toBe('ann');
  expect(await tokens.userOf(await signBySecret('bob'))).toBeUndefined();
  expect(requests).toBe(0);
  pass(3_700_000);
  expect(await tokens.userOf(token)).toBeUndefined();
});

it('malformed tokens, and tokens without a user, have no user even when they are accepted', async () => {
  publish();
  const tokens = make();
  const withoutUser = await new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).sign(new Uint8Array(32));
  for (const shown of ['', 'x', 'eyJx.y.z', withoutUser, `${await signBySecret()}${'x'.repeat(20_000)}`]) {
    await tokens.accept(shown);
    expect(await tokens.userOf(shown)).toBeUndefined();
  }
});
