import { expect, it } from 'vitest';
import { NodeError, type NodeModule } from '../../runner/engine/node.ts';
import { makeSlice, UNLIMITED } from '../../runner/engine/state/slice.ts';
import { TransientError } from '../../runner/engine/failures/transient_error.ts';
import { nodeRegistry } from '../../runner/nodes/registry.ts';
import type { NodeRetry } from '../../types/flow.ts';
import {
  claimFlow,
  endOf,
  executeFlow,
  type ExecuteFlowOptions,
  type Recorded,
  recordedBy,
  stopHalt,
  type TestTraits,
} from '../support/execute_flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';

const AT_ONCE: NodeRetry = { max_attempts: 3, delay_ms: 0, backoff: 1, max_delay_ms: 0 };
const IN_AN_HOUR: NodeRetry = { max_attempts: 3, delay_ms: 3_600_000, backoff: 2, max_delay_ms: 36_000_000 };
const outage = () => new TransientError('the server is away');

/** Makes a node that fails this many times with this error, then outputs its input. It counts its calls. */
function flaky(failures: number, makeError: () => Error = outage, { effects, ...traits }: TestTraits = {}) {
  const node = { calls: 0, module: {} as NodeModule };
  const { definition: toString } = nodeRegistry('to_string')!;
  const definition = { ...toString, data: { ...toString.data, effects } };
  node.module = {
    definition,
    run: ({ inputs }) => {
      node.calls++;
      if (node.calls <= failures) throw makeError();
      return { result: inputs.stringify! };
    },
    ...traits,
  };
  return node;
}

/** Makes a node like `flaky`, which fails this many times for each input. */
function flakyForEach(failures: number) {
  const seen = new Map<string, number>();
  const node = flaky(0);
  const { run } = node.module;
  node.module.run = (call) => {
    const key = JSON.stringify(call.inputs.stringify);
    const count = seen.get(key) ?? 0;
    seen.set(key, count + 1);
    if (count < failures) {
      node.calls++;
      throw outage();
    }
    return run(call);
  };
  return node;
}

type Flaky = ReturnType<typeof flaky>;

const withNode = (node: Flaky): ExecuteFlowOptions => ({
  registry: (id) => id === 'to_string' ? node.module : nodeRegistry(id),
  now: Date.now,
});

/** Makes a flow with the flaky node between a constant and an output. */
function flowWith(retry: NodeRetry | undefined): FlowBuilder {
  const flow = new FlowBuilder();
  const text = flow.use('to_string', { stringify: flow.constant({ S: 'x' }) }, { title: 'flaky', retry });
  flow.output('text', text.output('result'));
  return flow;
}

const flakyRun = ({ nodeRuns }: Pick<Recorded, 'nodeRuns'>, flow: FlowBuilder) =>
  nodeRuns.find(({ node_id }) => node_id === flow.nodes.find(({ data }) => data.display_name === 'flaky')?.id)!;

const lines = ({ logs }: Pick<Recorded, 'logs'>) => logs.map(({ log_level, content }) => `${log_level} ${content}`);

const sleepOf = ({ result }: Awaited<ReturnType<typeof claimFlow>>): number => {
  if (result.status !== 'released' || result.until === undefined) throw new Error(JSON.stringify(result));
  return result.until;
};

it('a node is tried again until it succeeds, and each failure is in the log', async () => {
  const node = flaky(2);
  const flow = flowWith(AT_ONCE);
  const ended = await executeFlow(flow, {}, withNode(node));
  expect(ended).toMatchObject({ status: 'succeeded', output: { M: { text: { S: 'x' } } }, errors: null });
  expect(node.calls).toBe(3);
  expect(flakyRun(ended, flow)).toMatchObject({ attempt: 3, retry_at: null, errors: null });
  expect(lines(ended)).toEqual([
    expect.stringMatching(/^Warn attempt 1 of 3 failed, the next one begins at \S+Z: the server is away$/),
    expect.stringMatching(/^Warn attempt 2 of 3 failed, the next one begins at \S+Z: the server is away$/),
  ]);
});

it('a node has no more attempts than allowed, and the last one decides how it ends', async () => {
  const node = flaky(9);
  const flow = flowWith(AT_ONCE);
  const ended = await executeFlow(flow, {}, withNode(node));
  expect(ended).toMatchObject({ status: 'failed', errors: [expect.stringMatching(/^flaky \S+: the server is away$/)] });
  expect(node.calls).toBe(3);
  expect(flakyRun(ended, flow)).toMatchObject({ attempt: 3, retry_at: null, errors: ['the server is away'] });
  expect(lines(ended).at(-1)).toBe('Error attempt 3 of 3 failed: the server is away');
});

it.each<[string, NodeRetry | undefined, () => Error, string[]]>([
  ['whose flow has no settings for retries', undefined, outage, []],
  ['that fails for good', AT_ONCE, () => new NodeError('no such thing'), [
    'Error attempt 1 of 3 failed: no such thing',
  ]],
  ['whose code throws', AT_ONCE, () => new TypeError('a bug'), ['Error attempt 1 of 3 failed: a bug']],
  ['that has one attempt', { ...AT_ONCE, max_attempts: 1 }, outage, [
    'Error attempt 1 of 1 failed: the server is away',
  ]],
])('a node %s is tried once', async (_, retry, makeError, expected) => {
  const node = flaky(1, makeError);
  const flow = flowWith(retry);
  const ended = await executeFlow(flow, {}, withNode(node));
  expect(ended.status).toBe('failed');
  expect(node.calls).toBe(1);
  expect(flakyRun(ended, flow).attempt).toBe(1);
  expect(lines(ended)).toEqual(expected);
});

it('a script and a called flow are not retried: nodes in the called flow have their own retries', async () => {
  const node = flaky(1);
  const called = flowWith(undefined);
  const flow = new FlowBuilder();
  const call = flow.node('interflow', { outputs: ['text'], form: { id: 1 }, retry: AT_ONCE });
  flow.output('text', call.output('text'));
  expect((await executeFlow(flow, {}, { ...withNode(node), flows: { 1: called } })).status).toBe('failed');
  expect(node.calls).toBe(1);

  const again = flaky(1);
  const ended = await executeFlow(flow, {}, { ...withNode(again), flows: { 1: flowWith(AT_ONCE) } });
  expect(ended).toMatchObject({ status: 'succeeded', output: { M: { text: { S: 'x' } } } });
});

it('a run that only waits for the next attempt is released until then, and continues with the right attempt', async () => {
  const node = flaky(2);
  const flow = flowWith(IN_AN_HOUR);
  const before = Date.now();
  let now = before;
  const options = { ...withNode(node), leastSleepMs: 10_000, now: () => now };
  const first = await claimFlow(flow, {}, options);
  const firstPause = sleepOf(first) - before;
  expect(firstPause).toBeGreaterThanOrEqual(0.8 * 3_600_000);
  expect(firstPause).toBeLessThanOrEqual(3_600_000);
  expect(flakyRun(first.recorded, flow)).toMatchObject({
    attempt: 1,
    retry_at: new Date(sleepOf(first)).toISOString(),
    end_time: null,
  });

  // If a claim comes too early, the run sleeps again for the rest of the time.
  const early = await claimFlow(flow, {}, { ...options, earlier: first.recorded });
  expect(sleepOf(early)).toBe(sleepOf(first));
  expect(node.calls).toBe(1);

  now = sleepOf(first);
  const second = await claimFlow(flow, {}, { ...options, earlier: early.recorded });
  expect(flakyRun(second.recorded, flow)).toMatchObject({ attempt: 2, end_time: null });
  expect(sleepOf(second) - now).toBeGreaterThan(firstPause);

  now = sleepOf(second);
  const last = await claimFlow(flow, {}, { ...options, earlier: second.recorded });
  expect(endOf(last.result)).toMatchObject({ status: 'succeeded' });
  expect(flakyRun(last.recorded, flow)).toMatchObject({ attempt: 3, retry_at: null });
  expect(node.calls).toBe(3);
});

it.each([
  ['as long as a server asks for', 1_800_000, 1_800_000],
  ['no longer than allowed, whatever a server asks for', 1e12, 7_200_000],
  ['no shorter than planned', 1, undefined],
])('a pause is %s', async (_, retryAfterMs, expected) => {
  const node = flaky(1, () => new TransientError('busy', { retryAfterMs }));
  const retry = { ...IN_AN_HOUR, delay_ms: expected === undefined ? 3_600_000 : 1_000, max_delay_ms: 7_200_000 };
  const claim = await claimFlow(flowWith(retry), {}, { ...withNode(node), leastSleepMs: 1, now: () => 0 });
  if (expected === undefined) expect(sleepOf(claim)).toBeGreaterThanOrEqual(0.8 * 3_600_000);
  else expect(sleepOf(claim)).toBe(expected);
});

it('a run that is stopped between two attempts ends at once, with the attempts that it had', async () => {
  const node = flaky(9);
  const flow = flowWith(IN_AN_HOUR);
  const stop = new AbortController();
  const claim = claimFlow(flow, {}, {
    ...withNode(node),
    stop: stop.signal,
    services: {
      rest: (wait) => {
        stop.abort(stopHalt('enough', 60_000));
        return wait();
      },
    },
  });
  const { result, recorded } = await claim;
  expect(endOf(result)).toMatchObject({
    status: 'stopped',
    errors: [expect.stringMatching(/^flaky \S+: canceled by user enough$/)],
  });
  expect(flakyRun(recorded, flow)).toMatchObject({ attempt: 1, retry_at: null });
  expect(lines(recorded)).toEqual([expect.stringMatching(/^Warn attempt 1 of 3 failed, the next one/)]);
  expect(node.calls).toBe(1);
});

it('a run that is released between two attempts continues with the next one', async () => {
  const node = flaky(1);
  const flow = flowWith({ ...AT_ONCE, delay_ms: 5, max_delay_ms: 5 });
  // The clock of the test stands still. With a real clock, the pause could end before the node rests, if the machine is
  // busy.
  const time = Date.now();
  const slice = makeSlice(UNLIMITED);
  const { result, recorded } = await claimFlow(flow, {}, {
    ...withNode(node),
    now: () => time,
    slice,
    services: {
      rest: (wait) => {
        slice.end();
        return wait();
      },
    },
  });
  expect(result.status).toBe('released');
  const ended = await executeFlow(flow, {}, { ...withNode(node), earlier: recorded });
  expect(ended.status).toBe('succeeded');
  expect(flakyRun(ended, flow).attempt).toBe(2);
  expect(node.calls).toBe(2);
});

it.each<[string, TestTraits]>([
  ['one that computes', {}],
  ['one with effects outside', { effects: 'once' }],
])('wherever its worker dies, a node has no more than the allowed attempts: %s', async (_, traits) => {
  const flow = flowWith(AT_ONCE);
  const { events, result } = await claimFlow(flow, {}, withNode(flaky(9, outage, traits)));
  const undisturbed = endOf(result);
  for (let count = 0; count <= events.length; count++) {
    const stored = events.slice(0, count);
    const begun = stored.flatMap((event) => event.type === 'nodeBegan' ? [event.run.attempt] : []);
    const node = flaky(9, outage, traits);
    const ended = await executeFlow(flow, {}, { ...withNode(node), earlier: recordedBy(stored) });
    expect(ended.status).toBe(undisturbed.status);
    expect(flakyRun(ended, flow)).toMatchObject({ attempt: 3, retry_at: null });
    // Attempts of a node with effects outside count, even if the worker died before it called the node.
    if (traits.effects !== undefined) {
      expect(node.calls, `${count} events`).toBeLessThanOrEqual(3 - Math.max(0, ...begun));
    }
  }
});

it('a node with possible effects outside is retried only if the flow allows it, and its attempts are counted', async () => {
  const traits = { effects: 'once' } as const;
  for (const retry of [undefined, AT_ONCE, { ...AT_ONCE, max_attempts: 1 }]) {
    const flow = flowWith(retry);
    const { events } = await claimFlow(flow, {}, withNode(flaky(0, outage, traits)));
    const began = events.findIndex((event) => event.type === 'nodeBegan' && event.run.node_id === flow.nodes[1]?.id);
    const node = flaky(0, outage, traits);
    const ended = await executeFlow(flow, {}, { ...withNode(node), earlier: recordedBy(events.slice(0, began + 1)) });
    if (retry === AT_ONCE) {
      expect(ended.status).toBe('succeeded');
      expect(flakyRun(ended, flow).attempt).toBe(2);
      expect(lines(ended)).toEqual([
        expect.stringMatching(/^Warn attempt 1 of 3 failed, .*outcome_unknown: .* may have happened$/),
      ]);
    } else {
      expect(ended.errors).toEqual([expect.stringMatching(/outcome_unknown: .*, so it was not run again$/)]);
      expect(node.calls).toBe(0);
    }
  }
});

it('a repeatable node is run again as the same attempt', async () => {
  const traits = { effects: 'idempotent' } as const;
  const flow = flowWith(AT_ONCE);
  const { events } = await claimFlow(flow, {}, withNode(flaky(0, outage, traits)));
  const began = events.findIndex((event) => event.type === 'nodeBegan');
  const ended = await executeFlow(flow, {}, {
    ...withNode(flaky(0, outage, traits)),
    earlier: recordedBy(events.slice(0, began + 1)),
  });
  expect(ended.status).toBe('succeeded');
  expect(flakyRun(ended, flow).attempt).toBe(1);
});

it('each element of a loop has attempts of its own', async () => {
  const flow = new FlowBuilder();
  const element = flow.foreach(flow.json([1, 2, 3]));
  const text = flow.use('to_string', { stringify: element }, { retry: AT_ONCE });
  flow.output('texts', flow.collect(text.output('result')));
  const node = flakyForEach(2);
  const ended = await executeFlow(flow, {}, withNode(node));
  expect(ended.output.M).toMatchObject({ texts: { A: [{ U: '1' }, { U: '2' }, { U: '3' }] } });
  expect(node.calls).toBe(9);
});

it('each attempt counts against the executions that a run may have, also those of earlier claims', async () => {
  const flow = flowWith({ ...AT_ONCE, max_attempts: 20 });
  const limits = { nodeExecutions: 5 };
  const { result, recorded, events } = await claimFlow(flow, {}, { ...withNode(flaky(99)), limits });
  expect(endOf(result).errors?.[0]).toMatch(/^node_executions_limit/);
  expect(flakyRun(recorded, flow).attempt).toBe(4);

  const third = events.findIndex((event) => event.type === 'nodeBegan' && event.run.attempt === 3);
  const later = flaky(99);
  const earlier = recordedBy(events.slice(0, third + 1));
  const again = await executeFlow(flow, {}, { ...withNode(later), limits, earlier });
  expect(again.errors?.[0]).toMatch(/^node_executions_limit/);
  // The third attempt is made again, and then the fourth.
  expect(later.calls).toBe(2);
});

it('a thousand nodes that wait at the same time are retried', async () => {
  const flow = new FlowBuilder();
  const texts = Array.from({ length: 1_000 }, (_, index) => {
    const from = flow.constant({ U: String(index) });
    return flow.use('to_string', { stringify: from }, { retry: { ...AT_ONCE, delay_ms: 20, max_delay_ms: 20 } });
  });
  flow.output('last', texts.at(-1)!.output('result'));
  const node = flakyForEach(1);
  const ended = await executeFlow(flow, {}, withNode(node));
  expect(ended.status).toBe('succeeded');
  expect(node.calls).toBe(2_000);
});
