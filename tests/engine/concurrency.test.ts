import { expect, it } from 'vitest';
import type { NativeNodes } from '../../runner/engine/node.ts';
import { nodeRegistry } from '../../runner/nodes/registry.ts';
import { executeFlow, testNode } from '../support/execute_flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { waitFor } from '../support/wait.ts';

/** The slow nodes of a loop over four elements that can work at once, for each step of the loop. */
const AT_ONCE = [1, 2, 3, 3, 2, 1];

/**
 * Runs a loop with three slow nodes in a row, and records which nodes ran at the same time. Each execution ends when
 * all that can run beside it have begun.
 */
async function runPipeline() {
  const running = new Set<string>();
  const together: string[][] = [];
  const begun = AT_ONCE.map(() => 0);
  const slow = (nodeId: string) =>
    testNode(['in'], ['out'], async ({ inputs }) => {
      expect(running, 'a node runs beside itself').not.toContain(nodeId);
      running.add(nodeId);
      together.push([...running].toSorted());
      const step = Number((inputs.in as { U: string }).U) + Number(nodeId.at(-1)) - 2;
      begun[step]! += 1;
      await waitFor(() => begun[step] === AT_ONCE[step] || undefined, 30_000);
      running.delete(nodeId);
      return { out: inputs.in! };
    });
  const registry: NativeNodes = (nodeId) => nodeId.startsWith('slow') ? slow(nodeId) : nodeRegistry(nodeId);
  const flow = new FlowBuilder();
  let port = flow.foreach(flow.json([1, 2, 3, 4]));
  for (const nodeId of ['slow 1', 'slow 2', 'slow 3']) {
    const node = flow.node(nodeId, { inputs: ['in'], outputs: ['out'] });
    flow.connect(port, node.input('in'));
    port = node.output('out');
  }
  flow.output('out', flow.collect(port));
  const { output } = await executeFlow(flow, {}, { registry });
  return { output, together };
}

it('different nodes of a loop work on different elements at once, but no node runs twice at once', async () => {
  const { output, together } = await runPipeline();
  expect(output).toEqual({ M: { out: { A: ['1', '2', '3', '4'].map((U) => ({ U })) } } });
  expect(together).toHaveLength(12);
  expect(together).toContainEqual(['slow 1', 'slow 2', 'slow 3']);
});

it('parallel waits take as long as the longest one, not as their sum', async () => {
  const flow = new FlowBuilder();
  const text = flow.constant({ S: 'x' });
  for (let count = 0; count < 20; count++) flow.output(`out ${count}`, flow.wait(text, 1_000));
  const startedAt = performance.now();
  const { output } = await executeFlow(flow, {}, { now: Date.now });
  expect(Object.keys(output.M)).toHaveLength(20);
  // If the nodes waited one after the other, the run would take at least this long.
  expect(performance.now() - startedAt).toBeLessThan(20 * 1_000);
});

it('calls of flows run in parallel', async () => {
  const flow = new FlowBuilder();
  const called = new FlowBuilder();
  called.output('out', called.wait(called.input('n'), 1_000));
  for (let count = 0; count < 20; count++) {
    flow.output(`out ${count}`, flow.interflow(1, { n: flow.json(count) }, ['out']).output('out'));
  }
  const startedAt = performance.now();
  const { output } = await executeFlow(flow, {}, { now: Date.now, flows: { 1: called } });
  expect(Object.keys(output.M)).toHaveLength(20);
  // If the calls ran one after the other, the run would take at least this long.
  expect(performance.now() - startedAt).toBeLessThan(20 * 1_000);
});

it('a node starts as soon as its own inputs are there, even while other nodes run', async () => {
  const order: string[] = [];
  let release = () => {};
  const nodes: { [nodeId: string]: ReturnType<typeof testNode> } = {
    held: testNode([], ['out'], () => new Promise((resolve) => release = () => resolve({ out: { S: 'held' } }))),
    last: testNode(['in'], [], () => {
      order.push('last');
      release();
      return {};
    }),
    after: testNode(['in'], [], () => {
      order.push('after');
      return {};
    }),
  };
  const flow = new FlowBuilder();
  const after = flow.node('after', { inputs: ['in'] });
  const last = flow.node('last', { inputs: ['in'] });
  flow.connect(flow.node('held', { outputs: ['out'] }).output('out'), after.input('in'));
  flow.connect(flow.toText(flow.toText(flow.constant({ S: 'x' }))), last.input('in'));
  await executeFlow(flow, {}, { registry: (nodeId) => nodes[nodeId] ?? nodeRegistry(nodeId) });
  expect(order).toEqual(['last', 'after']);
});
