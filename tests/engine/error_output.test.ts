import { describe, expect, it } from 'vitest';
import { type NativeNodes, NodeError } from '../../runner/engine/node.ts';
import { TransientError } from '../../runner/engine/failures/transient_error.ts';
import { heldBytes, measureValue } from '../../runner/engine/limits/value_size.ts';
import { nodeIds, nodeRegistry } from '../../runner/nodes/registry.ts';
import { claimFlow, endOf, executeFlow, recordedBy, ROOT_RUN_ID, testNode } from '../support/execute_flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';

const AT_ONCE = { max_attempts: 3, delay_ms: 0, backoff: 1, max_delay_ms: 0 };

/** Makes a registry with a node `test_pay` that has effects outside. Each call of the node executes `run`. */
const withPay = (run: () => Promise<never>): NativeNodes => (id) =>
  id === 'test_pay' ? testNode([], ['paid'], run, { effects: 'once' }) : nodeRegistry(id);

const never = () => new Promise<never>(() => {});

/**
 * Makes a flow that handles the failure of `test_pay`. The output `attempt` of the flow is a field of the error that
 * `test_pay` outputs.
 */
function payFlow(registry: NativeNodes, retry?: typeof AT_ONCE): FlowBuilder {
  const flow = new FlowBuilder(registry);
  const pay = flow.use('test_pay', {}, { title: 'pay', handlesErrors: true, retry });
  flow.output('attempt', flow.field('attempt', pay.output('error')));
  return flow;
}

/** Returns the record of a claim whose worker seems to die when the first node with effects has begun. */
async function diedInside(flow: FlowBuilder, registry: NativeNodes, flows?: { [id: string]: FlowBuilder }) {
  const events: Parameters<typeof recordedBy>[0][number][] = [];
  const ended = new Promise<void>((resolve) => {
    void claimFlow(flow, {}, {
      registry,
      ...(flows && { flows }),
      journal: {
        flush: () => {
          resolve();
          return new Promise(() => {});
        },
        nodeBegan: (run) => void events.push({ type: 'nodeBegan', run, at: run.start_time, batch: 1 }),
        runBegan: (run) => void events.push({ type: 'runBegan', run, at: new Date(0).toISOString(), batch: 1 }),
        nodeEnded: (run) => void events.push({ type: 'nodeEnded', run, at: run.start_time, batch: 1 }),
      },
    });
  });
  await ended;
  return recordedBy(events);
}

describe('a failure that no flow handles', () => {
  it('is that of an execution with effects whose worker was lost', async () => {
    const registry = withPay(never);
    const flow = payFlow(registry);
    const earlier = await diedInside(flow, registry);
    const { result, recorded } = await claimFlow(flow, {}, { registry, earlier });
    expect(endOf(result)).toMatchObject({ status: 'failed', errors: [expect.stringContaining('outcome_unknown')] });
    expect(recorded.nodeRuns[0]).toMatchObject({ error_handled: false });
  });

  it('is that of a called flow in which a worker was lost', async () => {
    const registry = withPay(never);
    const called = new FlowBuilder(registry);
    called.use('test_pay', {}, { title: 'pay' });
    const flow = new FlowBuilder(registry);
    flow.output('error', flow.interflow(1, {}, [], 'call', { handlesErrors: true }).output('error'));
    const earlier = await diedInside(flow, registry, { 1: called });
    const { result } = await claimFlow(flow, {}, { registry, earlier, flows: { 1: called } });
    expect(endOf(result)).toMatchObject({ status: 'failed', output: { M: {} } });
  });

  it('is a limit of the run', async () => {
    const flow = new FlowBuilder();
    const value = { S: 'x'.repeat(100) };
    const text = flow.use('to_string', { stringify: flow.constant(value) }, { handlesErrors: true });
    flow.output('error', text.output('error'));
    const { status, errors } = await executeFlow(flow, {}, { limits: { allOutputBytes: 1_000 } });
    expect({ status, errors }).toEqual({ status: 'succeeded', errors: null });
    const limited = await executeFlow(flow, {}, {
      limits: { allOutputBytes: heldBytes(measureValue(value)) * 1.5 },
    });
    expect(limited).toMatchObject({ status: 'failed', errors: [expect.stringContaining('run_outputs_limit')] });
  });
});

it('the failure of the last attempt is handled, with its number', async () => {
  let calls = 0;
  const registry = withPay(() => {
    calls++;
    return Promise.reject(new TransientError('away'));
  });
  const result = await executeFlow(payFlow(registry, AT_ONCE), {}, { registry, now: Date.now });
  expect(result).toMatchObject({ status: 'succeeded', output: { M: { attempt: { U: '3' } } } });
  expect(calls).toBe(3);
});

it('a redrive takes over a handled failure and the executions behind it, and does not repeat the node', async () => {
  let [pays, isFixed] = [0, false];
  const later = testNode(['in'], ['out'], () => {
    if (!isFixed) throw new NodeError('not yet');
    return { out: { S: 'done' } };
  });
  const pay = withPay(() => {
    pays++;
    return Promise.reject(new NodeError('refused'));
  });
  const registry: NativeNodes = (id) => id === 'test_later' ? later : pay(id);
  const flow = payFlow(registry);
  const [payNode] = flow.nodes;
  const from = { nodeId: payNode!.id, handle: payNode!.data.sources.find(({ name }) => name === 'error')!.id };
  flow.output('later', flow.use('test_later', { in: from }, { title: 'later' }).output('out'));
  const failed = await executeFlow(flow, {}, { registry });
  expect(failed).toMatchObject({ status: 'failed', errors: [expect.stringContaining('not yet')] });

  isFixed = true;
  const redriven = await claimFlow(flow, {}, {
    registry,
    runId: '01930000-0000-7000-8000-000000000002',
    redrivenFrom: [{ runId: ROOT_RUN_ID, recorded: failed }],
  });
  expect(endOf(redriven.result)).toMatchObject({
    status: 'succeeded',
    output: { M: { attempt: { U: '1' }, later: { S: 'done' } } },
  });
  expect(pays).toBe(1);
  const ended = redriven.events.flatMap((event) => event.type === 'nodeEnded' ? [event.run.node_id] : []);
  expect(ended).toHaveLength(2);
});

it('no node has an output of its own that is named error', () => {
  const named = nodeIds().filter((id) => nodeRegistry(id)!.definition.sources.some(({ name }) => name === 'error'));
  expect(named).toEqual([]);
});
