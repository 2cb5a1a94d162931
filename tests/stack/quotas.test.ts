import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Stack } from '../../dev/stack/stack.ts';
import { checkedFetch } from '../support/checked_fetch.ts';
import { makeOwnStack, type OwnStack } from '../support/own_stack.ts';

/** A separate stack, because quotas are a setting of the whole stack. */
let own: OwnStack;
let stack: Stack;

beforeAll(async () => {
  own = await makeOwnStack('quotas');
  await own.serve('flow');
  stack = await own.boot({ watch: false });
});
afterAll(() => own.remove());

async function post(path: string, key: string, body: object): Promise<{ status: number; body: unknown }> {
  const { API_URL, PUBLISHABLE_KEY } = stack.status;
  const isSecret = key === stack.status.SERVICE_ROLE_KEY;
  const response = await checkedFetch(`${API_URL}/${path}`, {
    method: 'POST',
    headers: {
      apikey: isSecret ? key : PUBLISHABLE_KEY,
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      prefer: 'return=representation',
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

it('an operator can set the quota of deployments with the secret key', async () => {
  const { SERVICE_ROLE_KEY, PUBLISHABLE_KEY } = stack.status;
  const signedUp = await post('auth/v1/signup', PUBLISHABLE_KEY, {
    email: `${randomUUID()}@example.com`,
    password: randomUUID(),
  });
  const { access_token: token } = signedUp.body as { access_token: string };
  const [flow] = (await post('rest/v1/flows', token, { name: 'flow' })).body as [{ id: number }];
  const deploy = () => post(`functions/v1/flow/deploy/${flow.id}`, token, {});
  const setQuota = (key: string, value: number | null) =>
    post('rest/v1/rpc/set_quota', key, { name: 'deployments', value });

  expect((await setQuota(SERVICE_ROLE_KEY, 1)).status).toBe(204);
  expect((await deploy()).status).toBe(200);
  expect(await deploy()).toMatchObject({
    status: 409,
    body: { code: 'quota_exceeded', details: { limit: 1, of: 'deployments' } },
  });
  expect((await setQuota(token, 2)).status).toBe(403);
  expect((await setQuota(SERVICE_ROLE_KEY, null)).status).toBe(204);
  expect((await deploy()).status).toBe(200);
  const { body } = await post('rest/v1/rpc/quotas', SERVICE_ROLE_KEY, {});
  expect(body).toContainEqual({ name: 'deployments', value: 10_000, default_value: 10_000 });
});
