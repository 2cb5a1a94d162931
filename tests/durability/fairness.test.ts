import { afterAll, beforeAll, expect, it } from 'vitest';
import { chainFlow } from '../support/mixed_flows.ts';
import { startWorker } from '../support/worker_process.ts';
import { integer, makeWorkerStack, type WorkerStack } from '../support/worker_stack.ts';

/**
 * The number of runs that one owner starts. Only a few of these runs may be executed before the runs of other owners.
 */
const FLOOD = 2_000;

let workers: WorkerStack;
beforeAll(async () => {
  workers = await makeWorkerStack('fairness');
});
afterAll(() => workers?.remove());

it(
  `with ${FLOOD} runs of one owner in the queue, a single run of another owner and a few of a third start at once`,
  async () => {
    const [flooding, single, few] = await Promise.all([workers.addOwner(), workers.addOwner(), workers.addOwner()]);
    const flow = chainFlow(1);
    const numbers = (count: number) => Array.from({ length: count }, (_, n) => ({ n: integer(n) }));
    const flood = await flooding.start(await flooding.storeFlow(flow), numbers(FLOOD));
    const singleIds = await single.start(await single.storeFlow(flow), numbers(1));
    const fewIds = await few.start(await few.storeFlow(flow), numbers(20));

    const worker = startWorker({ status: workers.stack.status, runtime: 'deno' });
    await workers.ended([...singleIds, ...fewIds]);
    const [before] = await workers.sql`
    select count(*)::integer as count from public.flow_run
    where id = any (${flood}::uuid[]) and end_time is not null
      and end_time < (select max(end_time) from public.flow_run where id = any (${[...singleIds, ...fewIds]}::uuid[]))`;
    // Owners take turns. So when the 20 runs of the other owners have ended, about 20 runs of the flood have ended, and
    // perhaps a few more that were claimed together with the last of the 20.
    expect(before?.count).toBeLessThan(100);

    // Meanwhile the runs of the flood also continue, in the order of their starts.
    await workers.ended(flood.slice(0, 500));
    await worker.end('SIGTERM');
    const [order] = await workers.sql`
    select count(*)::integer as count from public.flow_run as r
    where r.id = any (${flood.slice(600)}::uuid[]) and r.end_time < (
      select min(first.end_time) from public.flow_run as first where first.id = any (${flood.slice(0, 400)}::uuid[])
    )`;
    expect(order?.count).toBe(0);
  },
  180_000,
);
