import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeRpc, type Rpc } from '../../platform/database/rpc.ts';
import { makeRunnerWorker } from '../../runner/runner_worker.ts';
import { readRunnerSettings } from '../../runner/settings.ts';
import { chainFlow } from '../support/mixed_flows.ts';
import { integer, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

const HOUR_MS = 3_600_000;

let workers: WorkerStack;
beforeAll(async () => {
  workers = await makeWorkerStack('cost');
});
afterAll(() => workers?.remove());

/**
 * Returns the database calls that a worker makes to execute a chain of this many nodes. The calls that it makes at
 * intervals are left out, because their number depends on the machine.
 */
async function callsFor(nodes: number): Promise<{ calls: string[]; runId: string }> {
  const { API_URL, SERVICE_ROLE_KEY } = workers.stack.status;
  const calls: string[] = [];
  const rpc = makeRpc({
    restUrl: `${API_URL}/rest/v1`,
    apikey: SERVICE_ROLE_KEY,
    authorization: `Bearer ${SERVICE_ROLE_KEY}`,
    fetch,
  });
  const counting: Rpc = (name, args, headers) => {
    calls.push(name);
    return rpc(name, args, headers);
  };
  const owner = await workers.addOwner();
  const [runId] = await owner.start(await owner.storeFlow(chainFlow(nodes)), [{ n: integer(7) }]);
  await makeRunnerWorker({
    rpc: counting,
    settings: { ...readRunnerSettings(() => undefined, false), checkpointMs: HOUR_MS, heartbeatMs: HOUR_MS },
    env: () => undefined,
  }).drain();
  return { calls, runId: runId! };
}

it('a chain of 1,000 to_string nodes is stored in a few transactions', async () => {
  const { calls, runId } = await callsFor(1_000);
  const [run] = await workers.ended([runId]);
  expect(run).toMatchObject({ status: 'succeeded', output: { M: { out: { S: '7' } } } });
  const [stored] = await workers.sql`
    select count(*)::integer as node_runs, count(distinct n.xmin::text)::integer as transactions
    from public.node_run as n where n.flow_run_id = ${runId}`;
  expect(stored?.node_runs).toBe(1_002);
  expect(stored?.transactions).toBeLessThanOrEqual(4);
  expect(calls.length).toBeLessThanOrEqual(8);
  expect(calls.at(0)).toBe('claim_flow_runs');
  expect(calls).toContain('finish_flow_runs');
});

it('a short run costs one claim and one call that stores all of it', async () => {
  const { calls } = await callsFor(3);
  expect(calls).toEqual(['claim_flow_runs', 'finish_flow_runs', 'claim_flow_runs']);
});
