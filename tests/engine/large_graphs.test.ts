import { afterEach, expect, it, vi } from 'vitest';
import { EntryQueue } from '../../runner/engine/graph/entry_queue.ts';
import { nodeRegistry } from '../../runner/nodes/registry.ts';
import { executeFlow, testNode } from '../support/execute_flow.ts';
import { FlowBuilder, type Port } from '../support/flow_builder.ts';

const slow = testNode(['in?'], ['out'], async () => {
  await new Promise((resolve) => setImmediate(resolve));
  return { out: { N: 0 } };
});
const registry = (nodeId: string) => nodeId === 'slow' ? slow : nodeRegistry(nodeId);

const LENGTH = 500;

afterEach(() => vi.restoreAllMocks());

/** Adds a chain of slow nodes. */
function slowChain(flow: FlowBuilder, from: Port): Port {
  let port = from;
  for (let count = 0; count < LENGTH; count++) {
    const node = flow.node('slow', { inputs: ['in?'], outputs: ['out'] });
    flow.connect(port, node.input('in'));
    port = node.output('out');
  }
  return port;
}

it.each<[string, (flow: FlowBuilder) => void]>([
  ['a chain of slow nodes', (flow) => flow.output('out', slowChain(flow, flow.constant({ N: 0 })))],
  ['a chain that waits, beside another chain, for a value that never comes', (flow) => {
    flow.output('first', slowChain(flow, flow.constant({ N: 0 })));
    flow.output('second', slowChain(flow, flow.script('let u = ();', {}).output('u')));
  }],
])('in %s, the work of a step does not depend on the size of the flow', async (_what, build) => {
  const flow = new FlowBuilder();
  build(flow);
  const looks = vi.spyOn(EntryQueue.prototype, 'head', 'get');
  expect(await executeFlow(flow, {}, { registry })).toMatchObject({ status: 'succeeded' });
  expect(looks.mock.calls.length).toBeLessThan(20 * flow.edges.length);
});
