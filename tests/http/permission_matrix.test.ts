import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { textFlow } from '../support/flow_builder.ts';
import { type Caller, callers, makeCallers, PUBLIC_KEY } from '../support/matrix_callers.ts';
import { call, deploy, storeFlow } from '../support/people.ts';

const permissions = ['Owner', 'Authenticated', 'Anonymous'] as const;
const targets = ['by id', 'by flow', 'by flow and tag', 'unknown id', 'unknown tag', 'deleted'] as const;

const UNAUTHENTICATED = 401;

/**
 * If the caller may not see the target, the answer is the same 404 as for a missing target. If the credentials are
 * wrong, the answer is 401 for every target.
 */
function expectedStatus(
  caller: Caller,
  permission: typeof permissions[number],
  target: typeof targets[number],
): number {
  switch (caller) {
    case 'anon key as bearer':
    case 'publishable key as bearer':
    case 'nothing':
    case 'revoked API key':
    case 'expired token':
    case 'forged token':
    case 'token of a deleted user':
    case 'service role':
      return UNAUTHENTICATED;
  }
  if (target === 'unknown id' || target === 'unknown tag' || target === 'deleted') return 404;
  const isOwner = caller === 'owner' || caller === 'API key of owner';
  const isOtherUser = caller === 'other user' || caller === 'API key of other';
  if (permission === 'Owner') return isOwner ? 200 : 404;
  if (permission === 'Authenticated') return isOwner || isOtherUser ? 200 : 404;
  return 200;
}

const unauthenticatedCode: Partial<Record<Caller, string>> = {
  'anon key as bearer': 'unauthenticated',
  'publishable key as bearer': 'unauthenticated',
  nothing: 'unauthenticated',
  'revoked API key': 'api_key_invalid',
};

let headersOf: Record<Caller, Record<string, string>>;
const queryOf = new Map<string, string>();
let started: { owner: string; other: string; anonymous: string };

beforeAll(async () => {
  const { owner, other, anonymous, headers } = await makeCallers();
  headersOf = headers;
  started = { owner: owner.id, other: other.id, anonymous: anonymous.id };

  for (const permission of permissions) {
    const flowId = await storeFlow(owner, textFlow());
    const deploymentId = await deploy(owner, flowId);
    const deletedId = await deploy(owner, flowId);
    for (const id of [deploymentId, deletedId]) {
      await owner.client.from('flow_deployments').update({ start_permission: permission }).eq('id', id).throwOnError();
    }
    await owner.client.from('flow_deployments').delete().eq('id', deletedId).throwOnError();
    await owner.client.from('flow_deployments_tags').insert({
      entrypoint: flowId,
      tag: 'stable',
      deployment_id: deploymentId,
    }).throwOnError();
    const queries = {
      'by id': `id=${deploymentId}`,
      'by flow': `flow=${flowId}`,
      'by flow and tag': `flow=${flowId}&tag=stable`,
      'unknown id': `id=${randomUUID()}`,
      'unknown tag': `flow=${flowId}&tag=nothing`,
      deleted: `id=${deletedId}`,
    };
    for (const target of targets) queryOf.set(`${permission} ${target}`, queries[target]);
  }
});

/** The refusals, with all parts by which an observer could distinguish them. */
const refusals = new Set<string>();

/** Callers who may start a deployment may read its description; all others get the same 404. */
const routes = [
  ['POST', 'start', {
    flow_run_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    token: expect.stringMatching(/^fr_[\w-]{64}$/),
  }],
  [
    'GET',
    'read',
    expect.objectContaining({
      deployment_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      inputs: [expect.objectContaining({ name: 'value' })],
      outputs: [{ name: 'text', type: 'string' }],
    }),
  ],
] as const;
const doors = routes.flatMap(([method, route, answer]) =>
  callers.map((caller) => [method, route, caller, answer] as const)
);

describe.each(doors)('%s /deployment/%s as %s', (method, route, caller, answer) => {
  const cells = permissions.flatMap((permission) => targets.map((target) => [permission, target] as const));
  it.each(cells)('of a deployment for %s, %s', async (permission, target) => {
    const response = await call(`deployment/${route}?${queryOf.get(`${permission} ${target}`)}`, {
      method,
      headers: { ...headersOf[caller], 'if-none-match': '"another"' },
    });
    const text = await response.text();
    const body = JSON.parse(text);
    const expected = expectedStatus(caller, permission, target);
    expect([response.status, text]).toEqual([expected, text]);
    if (expected === 200) {
      expect(body).toEqual(answer);
    } else if (expected === 401) {
      expect(body.code).toBe(unauthenticatedCode[caller] ?? 'token_invalid');
    } else {
      const headers = [...response.headers].filter(([name]) => name !== 'date');
      refusals.add(JSON.stringify([response.status, text, headers]));
      expect(body).toEqual({
        code: 'deployment_not_found',
        message: 'There is no such deployment.',
        details: null,
        hint: null,
        error: 'There is no such deployment.',
      });
    }
  });
});

it('all refusals are the same except for the date', () => {
  expect(refusals.size).toBe(1);
});

it.each(callers)('an unknown token of a pending input gets a 404 as %s', async (caller) => {
  for (const method of ['POST', 'DELETE']) {
    const response = await call(`flow/submit/fi_${'A'.repeat(43)}`, {
      method,
      headers: { ...headersOf[caller], ...(method === 'POST' && { 'content-type': 'application/json' }) },
      ...(method === 'POST' && { body: '{"value": {"N": 0}}' }),
    });
    expect([response.status, (await response.json()).code]).toEqual([404, 'pending_input_not_found']);
  }
});

it('a run is recorded with its starter', async () => {
  const query = queryOf.get('Anonymous by id');
  const startedBy = async (caller: Caller) => {
    const { flow_run_id, token } = await (await call(`deployment/start?${query}`, { headers: headersOf[caller] }))
      .json();
    const { API_URL, PUBLISHABLE_KEY } = inject('stack');
    const rows = await fetch(
      `${API_URL}/rest/v1/flow_run?select=started_by,started_by_public_key&id=eq.${flow_run_id}`,
      {
        headers: { apikey: PUBLISHABLE_KEY, 'x-flow-run-token': token },
      },
    );
    return (await rows.json())[0];
  };
  expect(await startedBy('owner')).toEqual({ started_by: started.owner, started_by_public_key: null });
  expect(await startedBy('API key of other')).toEqual({ started_by: started.other, started_by_public_key: null });
  expect(await startedBy('anonymous sign-in')).toEqual({ started_by: started.anonymous, started_by_public_key: null });
  expect(await startedBy('public key')).toEqual({ started_by: null, started_by_public_key: PUBLIC_KEY });
});

it('an access token wins over an API key, and an API key over a public key, in any header', async () => {
  const query = queryOf.get('Owner by id');
  const status = async (headers: Record<string, string>) =>
    (await call(`deployment/start?${query}`, { headers })).status;
  const ownerKey = headersOf['API key of owner']['x-api-key']!;
  expect(await status({ ...headersOf['other user'], 'x-api-key': ownerKey })).toBe(404);
  expect(await status({ ...headersOf['public key'], 'x-api-key': ownerKey })).toBe(200);
  expect(await status({ authorization: `Bearer ${ownerKey}` })).toBe(200);
  expect(await status({ 'x-api-key': headersOf.owner.authorization!.slice(7) })).toBe(200);
  expect(await status({ authorization: 'Bearer fk_unknown' })).toBe(401);
});
