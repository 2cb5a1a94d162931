import { afterAll, beforeAll, expect, it } from 'vitest';
import { HOSTED_AUTH_RATES, makeAuthLimiter } from '../../dev/stack/gateway/auth_rates.ts';
import type { Stack } from '../../dev/stack/stack.ts';
import { makeOwnStack, type OwnStack } from '../support/own_stack.ts';

let own: OwnStack;
let stack: Stack;

beforeAll(async () => {
  own = await makeOwnStack('auth-rates');
  stack = await own.boot({ authRates: HOSTED_AUTH_RATES });
});
afterAll(() => own.remove());

it('an address may sign up 30 times at once, then gets 429 in the shape of Auth, while sign-ins continue', async () => {
  const { API_URL, PUBLISHABLE_KEY: apikey } = stack.status;
  const post = (path: string, body: object) =>
    fetch(`${API_URL}/auth/v1/${path}`, {
      method: 'POST',
      headers: { apikey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const account = { email: 'one@example.com', password: 'a long password' };
  expect((await post('signup', account)).status).toBe(200);
  // The limit counts all of these sign-ups, though Auth refuses them. It allows one more every ten seconds.
  const others = await Promise.all(Array.from({ length: 60 }, () => post('signup', {})));
  const [first, ...more] = others.filter(({ status }) => status === 429);
  expect(more.length).toBeLessThan(31);
  const refused = first!;
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused.json()).toEqual({
    code: 429,
    error_code: 'over_request_rate_limit',
    msg: 'Request rate limit reached',
  });
  expect((await post('token?grant_type=password', account)).status).toBe(200);
});

it('Auth is a separate process that starts at the first request', () => {
  expect(stack.parts.map(({ name }) => name)).toContain('Auth');
  expect(stack.parts.find(({ name }) => name === 'Auth')!.pid).not.toBe(process.pid);
});

it('sign-ups are counted by address, and 30 of them are forgotten in five minutes', () => {
  let now = 0;
  const limiter = makeAuthLimiter(HOSTED_AUTH_RATES, () => now);
  const isTaken = (path: string, address: string): boolean => {
    try {
      limiter.count(path, address);
      return true;
    } catch {
      return false;
    }
  };
  const taken = (path: string, address: string) =>
    Array.from({ length: 50 }, () => isTaken(path, address)).filter(Boolean).length;
  expect(taken('/signup', 'a')).toBe(30);
  expect(taken('/signup', 'b')).toBe(30);
  expect(taken('/token', 'a')).toBe(30);
  expect(taken('/user', 'a')).toBe(50);
  now += 60_000;
  expect([taken('/signup', 'a'), taken('/token', 'a')]).toEqual([6, 30]);
});
