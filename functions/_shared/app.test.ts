import { afterEach, expect, it, vi } from 'vitest';
import { makeApp } from './app.ts';

afterEach(() => vi.restoreAllMocks());

it('the log of an unexpected error names the path without the token in it, and the answer says nothing', async () => {
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
