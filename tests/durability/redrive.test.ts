import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startEffectServer } from '../support/effect_server.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { makeGate } from '../support/gate.ts';
import { startWorker, type WorkerProcess } from '../support/worker_process.ts';
import { type FlowOwner, integer, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

/** The number of the loop's elements. Each element posts once before the gate, and once after it. */
const ELEMENTS = 12;
const RUNS = 6;
const KILLS = 8;

let workers: WorkerStack;
let owner: FlowOwner;

beforeAll(async () => {
  workers = await makeWorkerStack('redrive');
  owner = await workers.addOwner();
});
afterAll(() => workers?.remove());

function newWorker(kill: number): WorkerProcess {
  const worker = startWorker({
    status: workers.stack.status,
    over: kill % 2 === 0 ? 'PostgREST' : 'Postgres',
    runtime: 'deno',
    env: { RUNNER_LEASE_SECONDS: '3', RUNNER_MAX_LOST_CLAIMS: '1000', RUNNER_CONCURRENCY: '8' },
  });
  // If this try of the test fails, end the worker: it would execute the runs of the next try.
  onTestFinished(() => void worker.process.kill('SIGKILL'));
  return worker;
}

/**
 * A loop inside a called flow. It makes GET requests and POST requests. After the death of a worker, only its GET
 * requests may be repeated.
 */
function loop(serverUrl: string, gateUrl: string): FlowBuilder {
  const flow = new FlowBuilder();
  const run = flow.input('run');
  const element = flow.foreach(flow.range(flow.json(ELEMENTS)));
  const urlOf = (place: string) =>
    flow.script(`"${serverUrl}/" + b + "/${place}/" + a`, { a: element, b: run }, 1, `${place} url`).output('u');
  const before = flow.use('http_request', { url: urlOf('before') }, { form: { method: 'POST' }, title: 'before' });
  const opened = flow.use(
    'http_request',
    {
      url: flow.script(`if b == () { throw "nothing" } "${gateUrl}?" + a`, { a: element, b: before.output('body') })
        .output('u'),
    },
    { form: { method: 'GET' }, title: 'gate' },
  );
  const paused = flow.wait(element, 30, opened.output('body'));
  flow.output('out', flow.collect(flow.toText(paused)));
  return flow;
}

it(`succeeded nodes are not repeated while ${KILLS} workers of redriven runs are killed`, async () => {
  // If this test is tried again, the new try needs a gate of its own, which is closed, and a server of its own, which
  // counts from zero.
  const [server, gate] = await Promise.all([startEffectServer(5), makeGate()]);
  onTestFinished(async () => void await Promise.all([server.close(), gate.close()]));
  const called = await owner.storeFlow(loop(server.url, gate.url));
  const calling = new FlowBuilder();
  calling.output('out', calling.interflow(called, { run: calling.input('run') }, ['out']).output('out'));
  const flowId = await owner.storeFlow(calling);
  const first = newWorker(0);
  const failedIds = await owner.start(flowId, Array.from({ length: RUNS }, (_, run) => ({ run: integer(run) })));
  const failed = await workers.ended(failedIds);
  expect(failed.map(({ status }) => status)).toEqual(failed.map(() => 'failed'));
  expect(await first.end('SIGTERM')).toBe(0);
  const once = [...server.counts.keys()].length;
  expect(once).toBe(RUNS * ELEMENTS);

  gate.open();
  const ids = await owner.redrive(failedIds);
  for (let kill = 0; kill < KILLS; kill++) {
    const worker = newWorker(kill);
    await worker.ready();
    await new Promise((resolve) => setTimeout(resolve, 20 + (kill * 7919) % 300));
    await worker.end('SIGKILL');
  }
  const last = newWorker(1);
  const ended = await workers.ended(ids);
  await last.end('SIGTERM');
  const texts = Array.from({ length: ELEMENTS }, (_, element) => ({ S: String(element) }));
  for (const { status, output, errors } of ended) {
    expect({ status, output, errors }).toEqual({
      status: 'succeeded',
      output: { M: { out: { A: texts } } },
      errors: null,
    });
  }
  expect([...server.counts.values()].every((count) => count === 1)).toBe(true);
  const [numbers] = await workers.sql`
    select
      (select max(j.claim_number) from private.flow_run_jobs as j where j.flow_run_id = any (${ids}::uuid[])) as claims,
      count(*) filter (where n.is_taken_over)::integer as taken_over,
      count(*) filter (where n.is_taken_over and o.node_id is null)::integer as of_nothing
    from public.node_run as n
    join public.flow_run as r on r.id = n.flow_run_id
    left join public.flow_run as p on p.parent_flow_run_id = (
      select b.redriven_from from public.flow_run as b where b.id = r.parent_flow_run_id
    )
    left join public.node_run as o on (o.flow_run_id, o.node_id, o.times, o.output) = (p.id, n.node_id, n.times, n.output)
    where r.parent_flow_run_id = any (${ids}::uuid[])`;
  expect(numbers).toMatchObject({ of_nothing: 0 });
  // If no run was disturbed, or no execution was taken over, the test would prove nothing.
  expect(numbers!.claims).toBeGreaterThan(1);
  expect(numbers!.taken_over).toBeGreaterThan(RUNS * ELEMENTS);
});
