import { afterAll, beforeAll, expect, it } from 'vitest';
import { FlowBuilder } from '../support/flow_builder.ts';
import { chainFlow } from '../support/mixed_flows.ts';
import { startWorker, type WorkerProcess } from '../support/worker_process.ts';
import { type FlowOwner, integer, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

/** The largest size of all inputs and outputs of a run. The limit of the outputs alone is lower. */
const MAX_TOTAL_BYTES = 24 * 1_048_576;

let workers: WorkerStack;
let owner: FlowOwner;
let worker: WorkerProcess;
beforeAll(async () => {
  workers = await makeWorkerStack('broken');
  owner = await workers.addOwner();
  worker = startWorker({
    status: workers.stack.status,
    runtime: 'deno',
    env: { FLOW_RUN_MAX_TOTAL_BYTES: String(MAX_TOTAL_BYTES) },
  });
});
afterAll(async () => {
  worker?.process.kill('SIGKILL');
  await workers?.remove();
});

const claimsOf = async (runIds: string[]) => {
  const jobs = await workers.sql`
    select distinct j.claim_number from private.flow_run_jobs as j where j.flow_run_id = any (${runIds}::uuid[])`;
  return jobs.map((job) => job.claim_number);
};

it('a flow that is nested too deeply to be read fails alone, and other runs keep their first claim', async () => {
  const flow = new FlowBuilder();
  flow.use('note');
  const flowId = await owner.storeFlow(flow);
  // A trigger refuses such a flow. The test stores the flow without the trigger, as if it were older than the trigger.
  await workers.sql.begin(async (sql) => {
    await sql`alter table public.flows disable trigger user`;
    await sql`
      update public.flows
      set nodes = jsonb_set(nodes, '{0,data,targets_form,form_data}', (repeat('[', 5800) || repeat(']', 5800))::jsonb)
      where id = ${flowId}`;
    await sql`alter table public.flows enable trigger user`;
  });
  const neighbours = await owner.start(
    await owner.storeFlow(chainFlow(3)),
    Array.from({ length: 5 }, () => ({ n: integer(1) })),
  );
  const [deepRun] = await owner.start(flowId, [{}]);
  const [ended, ...rest] = await workers.ended([deepRun!, ...neighbours]);
  expect(ended).toMatchObject({ status: 'failed', errors: [expect.stringMatching(/^internal: /)] });
  expect(rest.every(({ status }) => status === 'succeeded')).toBe(true);
  expect(await claimsOf([deepRun!, ...neighbours])).toEqual([1]);
  expect(worker.events().some(({ event }) => event === 'run_broken')).toBe(true);
});

it('names and handles that are no texts are ignored, and the flow runs', async () => {
  const flow = new FlowBuilder();
  const text = flow.use('to_string', { stringify: flow.input('n') });
  flow.output('out', text.output('result'));
  const failing = flow.script('throw "as told"', {}, 1);
  flow.nodes.find(({ id }) => id === failing.id)!.data.display_name = { a: 1 } as never;
  flow.edges.push({ source: failing.id, sourceHandle: 5 as never, target: text.id, targetHandle: null });
  const ids = await owner.start(await owner.storeFlow(flow), [{ n: integer(7) }]);
  const [run] = await workers.ended(ids);
  expect(run).toMatchObject({ status: 'failed', output: { M: { out: { S: '7' } } } });
  expect(run?.errors).toEqual([expect.stringMatching(/^rhai_script_1x1 [0-9a-f-]{36}: .*as told/)]);
  expect(await claimsOf(ids)).toEqual([1]);
});

it('a stop while requests begin ends the run, and no other request is sent', async () => {
  const flow = new FlowBuilder();
  const each = flow.foreach(flow.range(flow.input('n')));
  const url = flow.script('"http://169.254.169.254/" + a', { a: each });
  const post = flow.use('http_request', { url: url.output('u') }, { form: { method: 'POST' } });
  flow.output('out', post.output('body'));
  const ids = await owner.start(await owner.storeFlow(flow), Array.from({ length: 8 }, () => ({ n: integer(3_000) })));
  await workers.sql`
    update private.flow_run_jobs set stop_requested_at = now(), stop_timeout_millies = 0 where flow_run_id = any (${ids}::uuid[])`;
  const ended = await workers.ended(ids);
  expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['stopped']));
  expect(worker.process.exitCode).toBeNull();
  expect(await claimsOf(ids)).toEqual([1]);
});

it('a run whose outputs are too large in total fails with this reason', async () => {
  const flow = new FlowBuilder();
  const each = flow.foreach(flow.range(flow.input('n')));
  const both = flow.use('to_vec', { first: each, second: flow.constant({ S: 'x'.repeat(900_000) }) });
  flow.output('out', both.output('result'));
  const ids = await owner.start(await owner.storeFlow(flow), [{ n: integer(60) }]);
  const [run] = await workers.ended(ids);
  expect(run?.status).toBe('failed');
  expect(run?.errors?.[0]).toMatch(/^run_size_limit: /);
});
