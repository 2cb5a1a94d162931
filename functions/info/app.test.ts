import { expect, it } from 'vitest';
import type { Platform } from '../_shared/edge_platform.ts';
import { makeInfoApp } from './app.ts';

const LEGACY = {
  SUPABASE_URL: 'https://ref.example/',
  SUPABASE_ANON_KEY: 'anon',
  SUPABASE_SERVICE_ROLE_KEY: 'service',
};
const OPAQUE = {
  SUPABASE_PUBLISHABLE_KEYS: '{"web": "sb_publishable_web", "default": "sb_publishable_default"}',
  SUPABASE_SECRET_KEYS: '{"default": "sb_secret_default"}',
};

const makeApp = (env: Record<string, string>) =>
  makeInfoApp({ env: (name) => env[name], fetch, waitUntil: () => {} } satisfies Platform);

const answerOf = async (env: Record<string, string>, init: RequestInit = {}, path = '/info') => {
  const response = await makeApp(env).fetch(new Request(`http://inside${path}`, init));
  return { status: response.status, headers: response.headers, body: await response.json() };
};

it.each<[string, Record<string, string>, string]>([
  ['of the older generation', LEGACY, 'anon'],
  ['of the newer generation', { SUPABASE_URL: 'https://ref.example', ...OPAQUE }, 'sb_publishable_default'],
  ['of both generations', { ...LEGACY, ...OPAQUE }, 'sb_publishable_default'],
])('returns the address and the public key, with keys %s', async (_which, env, anon_key) => {
  const { status, headers, body } = await answerOf(env);
  expect([status, body]).toEqual([200, {
    supabase_url: 'https://ref.example',
    anon_key,
    base_url: 'https://ref.example/functions/v1',
  }]);
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(JSON.stringify(body)).not.toMatch(/service|secret/);
});

it('returns the public address of the project if INFO_URL sets another one', async () => {
  const { body } = await answerOf({ ...LEGACY, INFO_URL: 'https://api.example.com/functions/v1/info' });
  expect(body).toMatchObject({
    supabase_url: 'https://api.example.com',
    base_url: 'https://api.example.com/functions/v1',
  });
});

it.each(['https://api.example.com', 'ftp://api.example.com/functions/v1/info', 'no address'])(
  'refuses INFO_URL=%s at its start',
  (INFO_URL) => {
    expect(() => makeApp({ ...LEGACY, INFO_URL })).toThrow('INFO_URL must');
  },
);

it('accepts only GET, on its own path and without parameters', async () => {
  const posted = await answerOf(LEGACY, { method: 'POST' });
  expect([posted.status, posted.headers.get('allow'), posted.body.code]).toEqual([405, 'GET', 'method_not_allowed']);
  expect((await answerOf(LEGACY, {}, '/info/more')).body.code).toBe('route_not_found');
  expect((await answerOf(LEGACY, {}, '/info?x=1')).body).toMatchObject({
    code: 'request_invalid',
    details: [{ path: 'x' }],
  });
});
