import { afterAll, beforeAll, expect, it } from 'vitest';
import { FlowBuilder } from '../support/flow_builder.ts';
import { chainFlow, waitFlow } from '../support/mixed_flows.ts';
import { startWorker } from '../support/worker_process.ts';
import { integer, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

const LOST_CLAIMS = 3;

let workers: WorkerStack;
beforeAll(async () => {
  workers = await makeWorkerStack('poison');
});
afterAll(() => workers?.remove());

it(
  'a run that always kills its worker fails after a limited number of workers, and the other runs succeed',
  async () => {
    const owner = await workers.addOwner();
    const poisoned = new FlowBuilder();
    const before = poisoned.toText(poisoned.constant({ S: 'harmless' }));
    const node = poisoned.node('poison', { outputs: ['out'] });
    const output = poisoned.output('out', node.output('out'));
    poisoned.output('before', before);

    const [poisonId] = await owner.start(await owner.storeFlow(poisoned), [{}]);
    const others = [
      ...await owner.start(
        await owner.storeFlow(chainFlow(10)),
        Array.from({ length: 30 }, (_, n) => ({ n: integer(n) })),
      ),
      ...await owner.start(
        await owner.storeFlow(waitFlow(500)),
        Array.from({ length: 10 }, (_, n) => ({ n: integer(n) })),
      ),
    ];

    // Restarts workers that have ended, like the supervisor of an operator.
    let lost = 0;
    let isOver = false;
    const supervise = async () => {
      while (!isOver) {
        const worker = startWorker({
          status: workers.stack.status,
          script: 'tests/fixtures/workers/hostile_worker.ts',
          runtime: 'deno',
          env: { RUNNER_LEASE_SECONDS: '2', RUNNER_MAX_LOST_CLAIMS: String(LOST_CLAIMS) },
        });
        const ended = new Promise((resolve) => worker.process.once('exit', resolve));
        const over = workers.ended([poisonId!, ...others]);
        await Promise.race([ended, over]);
        isOver = worker.process.exitCode === null && worker.process.signalCode === null;
        if (isOver) await worker.end('SIGKILL');
        else lost++;
      }
    };
    await supervise();

    const [poison, ...rest] = await workers.ended([poisonId!, ...others]);
    expect(poison).toMatchObject({
      status: 'failed',
      errors: [`worker_lost: ${LOST_CLAIMS + 1} workers in a row were lost while they executed this run`],
    });
    expect(lost).toBe(LOST_CLAIMS + 1);
    expect(rest.map(({ status, output: { M } }) => [status, Object.keys(M)])).toEqual(
      rest.map(() => ['succeeded', ['out']]),
    );
    const [run] = await workers.sql`select not_run from public.flow_run where id = ${poisonId!}`;
    expect(run?.not_run).toContain(output.id);
  },
  300_000,
);
