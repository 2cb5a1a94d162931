import { beforeAll, expect, it } from 'vitest';
import type { Json } from '../../types/database.types.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { collatzFlow } from '../support/mixed_flows.ts';
import { deploy, finishedRun, type Person, signUp, start, storeFlow } from '../support/people.ts';

/** The deepest nesting of called flows. */
const MAX_DEPTH = 1_024;

let owner: Person;
beforeAll(async () => {
  owner = await signUp();
});

/** Stores a flow that calls itself. Its id is known only after it is stored. */
async function storeRecursive(build: (ownId: number) => FlowBuilder): Promise<number> {
  const id = await storeFlow(owner, new FlowBuilder());
  // SAFETY: the builder makes JSON.
  const row = build(id).row() as unknown as { nodes: Json[]; edges: Json[] };
  await owner.client.from('flows').update(row).eq('id', id).throwOnError();
  return id;
}

/** A flow with endless recursion. */
function endlessFlow(ownId: number): FlowBuilder {
  const flow = new FlowBuilder();
  flow.output('out', flow.interflow(ownId, { n: flow.input('n') }, ['out'], 'again').output('out'));
  return flow;
}

const childrenOf = async (deploymentRunId: string) => {
  const { count } = await owner.client.from('flow_run').select('id', { count: 'exact', head: true })
    .eq('user_id', owner.id).not('parent_flow_run_id', 'is', null).gt('id', deploymentRunId);
  return count;
};

it('a flow can call itself more than 100 levels deep, and each call is a run', async () => {
  const deploymentId = await deploy(owner, await storeRecursive(collatzFlow));
  for (const [n, steps] of [[1, 0], [6, 8], [27, 111]] as const) {
    const { flow_run_id } = await start(owner, `id=${deploymentId}`, { inputs: { n: { U: String(n) } } });
    expect(await finishedRun(owner, flow_run_id)).toMatchObject({
      status: 'succeeded',
      output: { M: { steps: { I: String(steps) } } },
    });
    expect(await childrenOf(flow_run_id)).toBe(steps);
  }
});

it('endless recursion fails at the limit, and every call has the reason', async () => {
  const deploymentId = await deploy(owner, await storeRecursive(endlessFlow));
  const { flow_run_id } = await start(owner, `id=${deploymentId}`, { inputs: { n: { U: '1' } } });
  const run = await finishedRun(owner, flow_run_id);
  expect(run.status).toBe('failed');
  expect(run.errors).toHaveLength(1);
  expect(run.errors?.[0]).toMatch(/^again [0-9a-f-]{36}: /);
  expect(run.errors?.[0]).toMatch(/: recursive depth reached: calls of flows may be nested \d+ deep$/);
  expect(await childrenOf(flow_run_id)).toBe(MAX_DEPTH);
  const { count } = await owner.client.from('flow_run').select('id', { count: 'exact', head: true })
    .eq('flow_id', run.flow_id).neq('status', 'failed');
  expect(count).toBe(0);
});
