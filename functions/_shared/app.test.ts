import { afterEach, expect, it, vi } from 'vitest';
import { makeApp } from './app.ts';

afterEach(() => vi.restoreAllMocks());

it.each([
  ['an unknown route', 'GET', '/flow/nope', 404, 'route_not_found', 'There is no route /flow/nope.'],
  ['another method', 'POST', '/flow/read', 405, 'method_not_allowed', 'This route takes GET, not POST.'],
])('the answer to %s has its message as `error`, too', async (_what, method, path, status, code, message) => {
  const app = makeApp('flow', [{ method: 'GET', path: '/read', handle: () => Promise.resolve(new Response()) }]);
  const response = await app.fetch(new Request(`http://project${path}`, { method }));
  expect([response.status, await response.json()]).toEqual([status, {
    code,
    message,
    details: null,
    hint: null,
    error: message,
  }]);
});

it('an unexpected error is logged with its path but without the token, and its answer names no cause', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
  const app = makeApp('deployment', [{
    method: 'POST',
    path: '/hook/:token',
    handle: () => Promise.reject(new Error('broken')),
  }]);
  const request = new Request('http://project/deployment/hook/fh_secret-_1', { method: 'POST' });
  const response = await app.fetch(request);
  expect([response.status, (await response.json()).message]).toEqual([500, 'Something unexpected happened.']);
  expect(logged.mock.calls).toEqual([['POST /deployment/hook/fh_…', new Error('broken')]]);
});
