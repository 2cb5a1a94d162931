import { afterEach, describe, expect, it, vi } from 'vitest';
import type { NativeNodes, NodeCall, NodeModule, PendingInputs } from '../../runner/engine/node.ts';
import type { ChildRow } from '../../runner/engine/state/journal.ts';
import { nodeRegistry } from '../../runner/nodes/registry.ts';
import {
  claimFlow,
  endOf,
  executeFlow,
  type ExecuteFlowOptions,
  recordedBy,
  ROOT_RUN_ID,
  testNode,
  type TestTraits,
} from '../support/execute_flow.ts';
import { type BuiltNode, FlowBuilder, type NodeSpec } from '../support/flow_builder.ts';
import { instructionNode, signatureOf } from '../support/scripted_transactions.ts';

const SHORT = 5;
const LONG = 3_600_000;
const AT_ONCE = { max_attempts: 2, delay_ms: 0, backoff: 1, max_delay_ms: 0 };
const TOOK_LONGER = `node_timeout: the attempt took longer than ${SHORT} ms`;

/** Makes a node that counts its calls. The first `endlessCalls` calls never end by themselves. */
function slow(endlessCalls = Infinity, { effects }: TestTraits = {}) {
  let tell = () => {};
  const called = new Promise<void>((resolve) => tell = resolve);
  const node = { calls: [] as NodeCall[], module: {} as NodeModule, called };
  node.module = testNode(['in?'], ['out'], (call) => {
    node.calls.push(call);
    tell();
    return node.calls.length > endlessCalls ? Promise.resolve({ out: { S: 'done' } }) : new Promise(() => {});
  }, { ...(effects && { effects }) });
  return node;
}

const registryOf = ({ module }: { module: NodeModule }): NativeNodes => (id) =>
  id === 'test_slow' ? module : id === 'test_instruction' ? instructionNode : nodeRegistry(id);

const withNode = (node: ReturnType<typeof slow>, more: ExecuteFlowOptions = {}): ExecuteFlowOptions => ({
  registry: registryOf(node),
  ...more,
});

/** Makes a flow with the slow node before an output. */
function slowFlow(node: ReturnType<typeof slow>, spec: NodeSpec): { flow: FlowBuilder; used: BuiltNode } {
  const flow = new FlowBuilder(registryOf(node));
  const used = flow.use('test_slow', {}, { title: 'slow', ...spec });
  flow.output('out', used.output('out'));
  return { flow, used };
}

afterEach(() => void vi.useRealTimers());

/** Does work, and lets its timeout of SHORT pass when `called` resolves. So a busy machine can't call the node too late. */
async function withTimeout<Result>(called: Promise<void>, work: () => Promise<Result>): Promise<Result> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const result = work();
  await called;
  await vi.advanceTimersByTimeAsync(SHORT);
  return await result;
}

describe('the timeout of a node', () => {
  it('ends a node that does not end by itself, and aborts its signal', async () => {
    const node = slow();
    const { flow } = slowFlow(node, { timeoutMs: SHORT });
    const result = await withTimeout(node.called, () => executeFlow(flow, {}, withNode(node)));
    expect(result).toMatchObject({ status: 'failed', errors: [expect.stringContaining(TOOK_LONGER)] });
    expect(node.calls[0]!.signal.aborted).toBe(true);
  });

  it('leaves a node alone that ends in time', async () => {
    const node = slow(0);
    const { flow } = slowFlow(node, { timeoutMs: LONG });
    expect(await executeFlow(flow, {}, withNode(node))).toMatchObject({ output: { M: { out: { S: 'done' } } } });
    expect(node.calls[0]!.signal.aborted).toBe(false);
  });

  it('applies to one attempt, and another attempt follows if the flow allows it', async () => {
    const node = slow(1);
    const { flow } = slowFlow(node, { timeoutMs: SHORT, retry: AT_ONCE });
    const result = await withTimeout(node.called, () => executeFlow(flow, {}, withNode(node)));
    expect(result).toMatchObject({ status: 'succeeded', output: { M: { out: { S: 'done' } } } });
    expect(result.logs.map(({ content }) => content)).toEqual([expect.stringContaining(TOOK_LONGER)]);
  });

  it('is a failure that a flow may handle', async () => {
    const node = slow();
    const { flow, used } = slowFlow(node, { timeoutMs: SHORT, handlesErrors: true });
    flow.output('code', flow.field('code', used.output('error'), 'code'));
    const result = await withTimeout(node.called, () => executeFlow(flow, {}, withNode(node)));
    expect(result).toMatchObject({ status: 'succeeded', output: { M: { code: { S: 'node_timeout' } } } });
  });

  it.each(
    [['none', TOOK_LONGER], ['idempotent', TOOK_LONGER], [
      'once',
      `${TOOK_LONGER}; what it does outside may have happened`,
    ]] as const,
  )('of a node with the effects %s gives the error: %s', async (effects, message) => {
    const node = slow(Infinity, { effects });
    const { flow } = slowFlow(node, { timeoutMs: SHORT });
    const { nodeRuns } = await withTimeout(node.called, () => executeFlow(flow, {}, withNode(node)));
    expect(nodeRuns[0]).toMatchObject({ errors: [message] });
  });

  it('ends a script that computes in the thread of the engine', async () => {
    const flow = new FlowBuilder();
    flow.node('rhai_script_0x1', {
      inputs: ['source'],
      outputs: ['u'],
      form: { source: 'loop {}' },
      timeoutMs: SHORT,
      title: 'script',
    });
    const result = await executeFlow(flow, {}, { now: Date.now });
    expect(result).toMatchObject({ status: 'failed', errors: [expect.stringContaining(TOOK_LONGER)] });
  });

  it('limits the time for which the node waits for a person', async () => {
    const flow = new FlowBuilder();
    flow.use('api_input', {}, { form: { timeout: 1_000 }, timeoutMs: SHORT, retry: AT_ONCE });
    let tell = () => {};
    const called = new Promise<void>((resolve) => tell = resolve);
    const inputs: PendingInputs = {
      makeAddress: () => ({ token: 't', url: 'http://x.test' }),
      look: () => Promise.resolve({ status: 'open', leftMs: 1 }),
      untilNews: (_, halted) => {
        tell();
        return new Promise((resolve) => halted.addEventListener('abort', () => resolve()));
      },
    };
    const { result, recorded, events } = await withTimeout(
      called,
      () => claimFlow(flow, {}, { services: { inputs } }),
    );
    // The URL of the input becomes invalid when the attempt ends, so a second attempt would never get an answer.
    expect(recorded.inputs).toMatchObject([{ timeout_ms: SHORT }]);
    expect(recorded.nodeRuns.map(({ attempt }) => attempt)).toEqual([1]);
    // The record holds all executions of the run, so that a redrive needs no other record.
    expect(events.filter(({ type }) => type === 'leftIncomplete')).toEqual([]);
    expect(endOf(result)).toMatchObject({ errors: [expect.stringContaining(TOOK_LONGER)] });
  });
});

describe('the time of an attempt', () => {
  const at = (ms: number) => new Date(ms).toISOString();

  it('counts from the stored begin: a later claim does not call a node whose time is over', async () => {
    const node = slow();
    const { flow, used } = slowFlow(node, { timeoutMs: SHORT });
    const row = {
      flow_run_id: ROOT_RUN_ID,
      node_id: used.id,
      times: 0,
      attempt: 1,
      retry_at: null,
      start_time: at(0),
      end_time: null,
      input: { M: {} },
      output: null,
      errors: null,
    };
    const earlier = recordedBy([{ type: 'nodeBegan', run: row, at: at(0), batch: 1 }]);
    const { result } = await claimFlow(flow, {}, { registry: registryOf(node), earlier, now: () => SHORT });
    expect(endOf(result)).toMatchObject({ status: 'failed', errors: [expect.stringContaining(TOOK_LONGER)] });
    expect(node.calls).toEqual([]);

    // The second attempt has its own begin.
    const done = slow(0);
    const second = { ...row, attempt: 2, attempt_start_time: at(1_000) };
    const claim = await claimFlow(slowFlow(done, { timeoutMs: SHORT, retry: AT_ONCE }).flow, {}, {
      registry: registryOf(done),
      earlier: recordedBy([{ type: 'nodeBegan', run: second, at: at(0), batch: 1 }]),
      now: () => 1_000 + SHORT - 1,
    });
    expect(endOf(claim.result)).toMatchObject({ status: 'succeeded' });
  });

  it('wakes a run that sleeps', async () => {
    const flow = new FlowBuilder();
    const wait = flow.use('wait', { value: flow.constant({ S: 'x' }) }, {
      form: { duration_ms: 10 * LONG, wait_for: true },
      timeoutMs: LONG,
      handlesErrors: true,
    });
    flow.output('code', flow.field('code', wait.output('error'), 'code'));
    // The node reads the clock of the process.
    const start = Date.now();
    const asleep = await claimFlow(flow, {}, { leastSleepMs: 1, now: () => start });
    expect(asleep.result).toEqual({ status: 'released', until: start + LONG });
    const { result } = await claimFlow(flow, {}, { earlier: asleep.recorded, now: () => start + LONG });
    expect(endOf(result)).toMatchObject({ status: 'succeeded', output: { M: { code: { S: 'node_timeout' } } } });
  });
});

describe('the timeout of a call', () => {
  /** Executes a flow in which a call times out as soon as the slow node runs. */
  const claimUntilCalled = ({ flow, flows }: ReturnType<typeof nest>, node: ReturnType<typeof slow>) =>
    withTimeout(node.called, () => claimFlow(flow, {}, withNode(node, { flows })));

  /** A flow that calls a second flow, which calls a third one. The third flow has a node that does not end. */
  function nest(node: ReturnType<typeof slow>, spec: NodeSpec = {}) {
    const registry = registryOf(node);
    const inner = slowFlow(node, {}).flow;
    const middle = new FlowBuilder(registry);
    middle.output('out', middle.interflow(2, {}, ['out'], 'middle').output('out'));
    const flow = new FlowBuilder(registry);
    const call = flow.interflow(1, {}, ['out'], 'call', { timeoutMs: SHORT, handlesErrors: true, ...spec });
    flow.output('code', flow.field('code', call.output('error'), 'code'));
    flow.output('other', flow.toText(flow.constant({ S: 'goes on' })));
    return { flow, flows: { 1: middle, 2: inner } };
  }

  it('ends the called flows, and only these', async () => {
    const node = slow();
    const { result, recorded } = await claimUntilCalled(nest(node), node);
    expect(endOf(result)).toMatchObject({
      status: 'succeeded',
      output: { M: { code: { S: 'node_timeout' }, other: { S: 'goes on' } } },
    });
    expect(recorded.children.map(({ status, errors }) => [status, errors?.[0]])).toEqual([
      ['failed', TOOK_LONGER],
      ['failed', TOOK_LONGER],
    ]);
    expect(recorded.nodeRuns.filter(({ end_time }) => end_time === null)).toEqual([]);
    expect(node.calls[0]!.signal.aborted).toBe(true);
  });

  it('ends the called flows in the claim that finds the time over, and begins no other', async () => {
    const node = slow();
    const nested = nest(node);
    const { flow, flows } = nested;
    const { events } = await claimUntilCalled(nested, node);
    vi.useRealTimers();
    for (let count = 0; count <= events.length; count++) {
      const earlier = recordedBy(events.slice(0, count));
      // The first claim stored all of its events at time 0.
      const { result, recorded } = await claimFlow(flow, {}, withNode(slow(), { flows, earlier, now: () => SHORT }));
      if (earlier.children.length > 0) expect(recorded.children.length).toBe(earlier.children.length);
      expect(endOf(result), `${count} events`).toMatchObject({ output: { M: { code: { S: 'node_timeout' } } } });
      // Look only at called runs whose caller is stored and has not ended. The other called runs end with the root.
      const isOpen = ({ parent_flow_run_id: by }: ChildRow) =>
        earlier.nodeRuns.some(({ flow_run_id, end_time }) => flow_run_id === by && end_time === null);
      expect(recorded.children.filter((run) => run.end_time === null && isOpen(run))).toEqual([]);
    }
  });

  it('is not followed by another attempt: a call is not tried again as a whole', async () => {
    const node = slow();
    const { recorded } = await claimUntilCalled(nest(node, { retry: AT_ONCE }), node);
    expect(recorded.children).toHaveLength(2);
    expect(node.calls).toHaveLength(1);
  });

  it('wakes a tree that waits for a signature', async () => {
    const called = new FlowBuilder(registryOf(slow()));
    called.output('out', called.use('test_instruction', {}, { form: { name: 'pay' } }).output('signature'));
    const flow = new FlowBuilder(registryOf(slow()));
    const call = flow.interflow(1, {}, ['out'], 'call', { timeoutMs: LONG, handlesErrors: true });
    flow.output('code', flow.field('code', call.output('error'), 'code'));
    const options = { registry: registryOf(slow()), flows: { 1: called } };
    const transactions = { execute: () => Promise.resolve({ status: 'waiting' as const }) };
    const asked = await claimFlow(flow, {}, { ...options, services: { transactions }, now: () => 0 });
    expect(asked.result).toEqual({ status: 'waiting', until: LONG });
    const late = await claimFlow(flow, {}, {
      ...options,
      services: { transactions },
      earlier: asked.recorded,
      now: () => LONG,
    });
    expect(endOf(late.result)).toMatchObject({ status: 'succeeded', output: { M: { code: { S: 'node_timeout' } } } });
    expect(late.recorded.children).toMatchObject([{ status: 'failed' }]);
  });
});

describe('the timeout of an instruction node', () => {
  it('counts while it makes its instructions', async () => {
    let tell = () => {};
    const called = new Promise<void>((resolve) => tell = resolve);
    const buildInstructions = () => {
      tell();
      return new Promise<never>(() => {});
    };
    const registry: NativeNodes = (id) =>
      id === 'test_instruction' ? { ...instructionNode, buildInstructions } : nodeRegistry(id);
    const flow = new FlowBuilder(registry);
    flow.use('test_instruction', {}, { form: { name: 'pay' }, title: 'pay', timeoutMs: SHORT });
    const result = await withTimeout(called, () => executeFlow(flow, {}, { registry }));
    expect(result).toMatchObject({ status: 'failed', errors: [expect.stringContaining(TOOK_LONGER)] });
  });

  it('does not count once its instructions are handed over', async () => {
    const registry = registryOf(slow());
    const flow = new FlowBuilder(registry);
    const pay = flow.use('test_instruction', {}, { form: { name: 'pay' }, timeoutMs: SHORT });
    flow.output('paid', pay.output('signature'));
    let time = 0;
    const transactions = {
      execute: () => {
        time = LONG;
        return Promise.resolve({ status: 'confirmed' as const, signature: signatureOf('pay'), hasFees: false });
      },
    };
    const result = await executeFlow(flow, {}, { registry, now: () => time, services: { transactions } });
    expect(result).toMatchObject({ status: 'succeeded' });
  });
});
