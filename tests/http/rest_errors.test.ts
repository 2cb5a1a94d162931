import type { SupabaseClient } from '@supabase/supabase-js';
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { restErrors } from '../../dev/docs/reference/rest_errors.ts';
import { textFlow } from '../support/flow_builder.ts';
import { deploy, makeClient, type Person, signUp, storeFlow } from '../support/people.ts';

// Tests the statements of docs/reference/errors.md about errors of Postgres and PostgREST themselves.

let [owner, other]: Person[] = [];
let [flow, strangersFlow] = [0, 0];
let deploymentId: string;
const wallet = { type: 'ADAPTER', name: 'mine', public_key: '11111111111111111111111111111111' };

interface Answer {
  status: number;
  error: { code: string; message: string } | null;
}

/** The client without its types. The types would refuse most of these requests. */
// SAFETY: this test calls only `from` and `rpc`.
const untyped = (person: Pick<Person, 'client'>) => person.client as unknown as SupabaseClient;

beforeAll(async () => {
  [owner, other] = await Promise.all([signUp(), signUp()]);
  flow = await storeFlow(owner!, textFlow());
  strangersFlow = await storeFlow(other!, textFlow());
  deploymentId = await deploy(owner!, flow);
  await untyped(owner!).from('wallets').insert(wallet).throwOnError();
  await untyped(owner!).from('flow_deployments_tags').insert({
    entrypoint: flow,
    tag: 'stable',
    deployment_id: deploymentId,
  })
    .throwOnError();
});

const tag = (entrypoint: number, id: string, name: string) => ({ entrypoint, tag: name, deployment_id: id });

const requests: [row: string, request: () => PromiseLike<Answer>, status: number, message: RegExp][] = [
  [
    '`42501` `permission',
    () => untyped({ client: makeClient() }).from('flows').insert({}),
    401,
    /permission denied for table flows/,
  ],
  [
    '`42501` `permission',
    () => untyped(owner!).from('flow_deployments').insert({ entrypoint: flow }),
    403,
    /permission denied/,
  ],
  ['`42501` `new row', () => untyped(owner!).from('flows').insert({ user_id: other!.id }), 403, /row-level security/],
  [
    '`42501` `new row',
    () => untyped(owner!).from('flow_deployments_tags').insert(tag(strangersFlow, deploymentId, 'v1')),
    403,
    /row-level security/,
  ],
  [
    '`23505` on `flow_deployments_tags_pkey`',
    () => untyped(owner!).from('flow_deployments_tags').insert(tag(flow, deploymentId, 'stable')),
    409,
    /flow_deployments_tags_pkey/,
  ],
  [
    '`23505` on `wallets_user',
    () => untyped(owner!).from('wallets').insert(wallet),
    409,
    /wallets_user_id_public_key_key/,
  ],
  [
    '`23503` on',
    () => untyped(owner!).from('flow_deployments_tags').insert(tag(flow, randomUUID(), 'v1')),
    409,
    /flow_deployments_tags_deployment_id_fkey/,
  ],
  ['`23502`', () => untyped(owner!).from('wallets').insert({ type: 'ADAPTER' }), 400, /"public_key"/],
  ['`22P02`', () => untyped(owner!).from('flow_run').select('id').eq('id', 'x'), 400, /uuid/],
  ['`428C9`', () => untyped(owner!).from('flows').insert({ id: 1 }), 400, /"id"/],
  ['`PGRST204`', () => untyped(owner!).from('flows').insert({ isPublic: true }), 400, /'isPublic'/],
  ['`PGRST202`', () => untyped(owner!).rpc('nothing'), 404, /nothing/],
  ['`PGRST202`, `42P01`', () => untyped(owner!).from('nothing').select('*'), 404, /nothing/],
  [
    '`PGRST116`',
    () => untyped(owner!).from('flows').select('id').eq('id', strangersFlow).single(),
    406,
    /JSON object requested/,
  ],
];

it.each(requests)('/rest/v1 answers %s as the reference says', async (row, request, status, message) => {
  const described = restErrors.filter(([code]) => code.startsWith(row));
  expect(described).toHaveLength(1);
  const answer = await request();
  expect(answer.status).toBe(status);
  expect(described[0]![1]).toContain(String(status));
  expect(described[0]![0]).toContain(answer.error!.code);
  expect(answer.error!.message).toMatch(message);
});
