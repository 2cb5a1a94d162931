import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeRpc, type Rpc } from '../../functions/_shared/database.ts';
import { makeRunnerWorker } from '../../functions/runner/runner_worker.ts';
import { readRunnerSettings } from '../../functions/runner/settings.ts';
import { chainFlow } from '../support/mixed_flows.ts';
import { integer, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

let workers: WorkerStack;
beforeAll(async () => {
  workers = await makeWorkerStack('cost');
});
afterAll(() => workers?.remove());

it('a flow of 1,000 to_string nodes in a chain is stored in a handful of transactions', async () => {
  const { API_URL, SERVICE_ROLE_KEY } = workers.stack.status;
  const calls: string[] = [];
  const rpc = makeRpc({
    supabaseUrl: API_URL,
    apikey: SERVICE_ROLE_KEY,
    authorization: `Bearer ${SERVICE_ROLE_KEY}`,
    fetch,
  });
  const counting: Rpc = (name, args, headers) => {
    calls.push(name);
    return rpc(name, args, headers);
  };
  const owner = await workers.addOwner();
  const runIds = await owner.start(await owner.storeFlow(chainFlow(1_000)), [{ n: integer(7) }]);
  await makeRunnerWorker({
    rpc: counting,
    settings: readRunnerSettings(() => undefined, false),
    env: () => undefined,
  }).drain();

  const [run] = await workers.ended(runIds);
  expect(run).toMatchObject({ status: 'succeeded', output: { M: { out: { S: '7' } } } });
  const [stored] = await workers.sql`
    select count(*)::integer as node_runs, count(distinct n.xmin::text)::integer as transactions
    from public.node_run as n where n.flow_run_id = ${runIds[0]!}`;
  expect(stored?.node_runs).toBe(1_002);
  expect(stored?.transactions).toBeLessThanOrEqual(4);
  expect(calls.filter((name) => name !== 'heartbeat_flow_runs').length).toBeLessThanOrEqual(8);
  expect(calls.at(0)).toBe('claim_flow_runs');
  expect(calls).toContain('finish_flow_runs');
});
