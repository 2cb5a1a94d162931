import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect } from '../../dev/stack/postgres/postgres.ts';
import type { Stack } from '../../dev/stack/stack.ts';
import type { StartResult } from '../../types/deployment.ts';
import type { FlowRunResult } from '../../types/flow_run.ts';
import { textFlow } from '../support/flow_builder.ts';
import { makeOwnStack, type OwnStack } from '../support/own_stack.ts';
import { waitFor } from '../support/wait.ts';

let own: OwnStack;
let stack: Stack;
let headers: Record<string, string>;
let userId: string;

/** Sends a request of the user to the stack and reads the JSON of the answer. */
const ask = async <Answer>(path: string, body?: unknown): Promise<{ status: number; body: Answer }> => {
  const response = await fetch(`${stack.status.API_URL}/${path}`, {
    headers,
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() as Answer };
};

// A stack without a sweeper, so that only the request can revive a run.
beforeAll(async () => {
  own = await makeOwnStack('overdue');
  await own.serve('flow', 'runner');
  stack = await own.boot({ watch: false, sweep: false });
  headers = {
    apikey: stack.status.PUBLISHABLE_KEY,
    'content-type': 'application/json',
    prefer: 'return=representation',
  };
  const { body } = await ask<{ access_token: string; user: { id: string } }>('auth/v1/signup', {
    email: 'owner@example.com',
    password: 'correct horse',
  });
  userId = body.user.id;
  headers.authorization = `Bearer ${body.access_token}`;
});
afterAll(() => own.remove());

const storeFlow = async (): Promise<number> => {
  const { body: [flow] } = await ask<[{ id: number }]>('rest/v1/flows', textFlow().row());
  return flow.id;
};

const resultOf = async (flow_run_id: string) =>
  (await ask<FlowRunResult>('rest/v1/rpc/flow_run_result', { flow_run_id })).body;

it('a request for the output of an overdue run wakes the runner if nothing else has', async () => {
  const started = await ask<StartResult>('rest/v1/rpc/start_flow', { flow_id: await storeFlow() });
  const { flow_run_id } = started.body;
  const result = () => resultOf(flow_run_id);
  const output = (wait: number) => ask(`functions/v1/flow/output/${flow_run_id}?wait=${wait}`);

  expect(await output(0)).toEqual({ status: 202, body: { status: 'queued' } });
  expect(await result()).toEqual({ status: 'queued', output: null, errors: null, is_overdue: false });
  const sql = connect(stack.superuserUrl);
  await sql`update private.flow_run_jobs set turn = turn - interval '2 seconds'`.finally(() => sql.end());
  expect(await result()).toMatchObject({ status: 'queued', is_overdue: true });
  expect(await output(20)).toEqual({ status: 200, body: { M: { text: { S: 'nothing' } } } });
  expect(await result()).toMatchObject({ status: 'succeeded', is_overdue: false });
});

it('a stop wakes the runner, which ends a waiting run', async () => {
  const flowId = await storeFlow();
  const sql = connect(stack.superuserUrl);
  // Use one transaction, because otherwise the last claim of the runner could take the run.
  const flow_run_id = await sql.begin(async (tx) => {
    await tx`select set_config('request.jwt.claims', ${JSON.stringify({ sub: userId, role: 'authenticated' })}, true)`;
    const [{ id }] = await tx<[{ id: string }]>`select public.start_flow(${flowId}) ->> 'flow_run_id' as id`;
    // Bring the run into the state in which a worker leaves it while it waits for a signature.
    await tx`update public.flow_run set status = 'waiting', start_time = now() where id = ${id}`;
    await tx`
      update private.flow_run_jobs set claim_number = 1, state = 'waiting', due_at = now() + interval '1 hour'
      where flow_run_id = ${id}`;
    return id;
  }).finally(() => sql.end());
  expect(await ask(`functions/v1/flow/stop/${flow_run_id}`, {})).toEqual({ status: 200, body: { success: true } });
  await waitFor(async () => (await resultOf(flow_run_id)).status === 'stopped' || undefined);
});
