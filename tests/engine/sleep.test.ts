import { expect, it } from 'vitest';
import type { NodeModule } from '../../runner/engine/node.ts';
import { nodeRegistry } from '../../runner/nodes/registry.ts';
import { claimFlow, endOf, testNode } from '../support/execute_flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';
import { waitFlow } from '../support/mixed_flows.ts';

const HOUR = 3_600_000;
const INPUTS = { n: { U: '1' } } as const;
const leastSleepMs = 10_000;
const options = { leastSleepMs, now: Date.now };

/** Makes a registry with the test's own node. */
const registryWith = (module: NodeModule) => (id: string) => id === 'test' ? module : nodeRegistry(id);

/** Returns the milliseconds until the run is to continue, according to the result. */
const sleepOf = ({ result }: Awaited<ReturnType<typeof claimFlow>>, from: number): number => {
  if (result.status !== 'released' || result.until === undefined) throw new Error(JSON.stringify(result));
  return result.until - from;
};

it('a run that only waits for long is released until then, and continues where it was', async () => {
  const before = Date.now();
  const asleep = await claimFlow(waitFlow(HOUR), INPUTS, options);
  expect(sleepOf(asleep, before)).toBeGreaterThanOrEqual(HOUR);
  const began = asleep.recorded.nodeRuns.find(({ end_time }) => end_time === null);
  expect(Date.parse(began!.start_time)).toBeGreaterThanOrEqual(before);

  // The next claim sleeps only for the rest of the time. A claim at the right time ends the sleep.
  const again = await claimFlow(waitFlow(HOUR), INPUTS, { ...options, earlier: asleep.recorded });
  expect(sleepOf(again, before)).toBe(sleepOf(asleep, before));
  const wasLongAgo = asleep.recorded.nodeRuns.map((run) =>
    run.end_time === null ? { ...run, start_time: new Date(before - HOUR).toISOString() } : run
  );
  const last = await claimFlow(waitFlow(HOUR), INPUTS, {
    ...options,
    earlier: { ...asleep.recorded, nodeRuns: wasLongAgo },
  });
  expect(endOf(last.result)).toMatchObject({ status: 'succeeded', output: { M: { out: { U: '1' } } } });
});

it('a run sleeps until the first of several waits ends, also of a called flow', async () => {
  const called = new FlowBuilder();
  called.output('out', called.wait(called.input('n'), HOUR));
  const flow = new FlowBuilder();
  flow.output('called', flow.interflow(1, { n: flow.input('n') }, ['out']).output('out'));
  flow.output('own', flow.wait(flow.input('n', 'other'), 2 * HOUR));
  const before = Date.now();
  const sleep = sleepOf(await claimFlow(flow, INPUTS, { ...options, flows: { 1: called } }), before);
  expect(sleep).toBeGreaterThanOrEqual(HOUR);
  expect(sleep).toBeLessThan(2 * HOUR);
});

it('short waits and parallel work end before a run sleeps', async () => {
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => release = resolve);
  const slow = testNode(['in'], ['out'], async () => {
    await isReleased;
    return { out: { S: 'done' } };
  });
  const flow = new FlowBuilder(registryWith(slow));
  flow.output('long', flow.wait(flow.input('n'), HOUR));
  flow.output('short', flow.wait(flow.input('n', 'short'), 20));
  flow.output('slow', flow.use('test', { in: flow.input('n', 'slow') }).output('out'));
  const claim = claimFlow(flow, INPUTS, { ...options, registry: registryWith(slow) });
  let hasEnded = false;
  void claim.then(() => hasEnded = true);
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(hasEnded).toBe(false);
  release();
  const { recorded } = await claim;
  const open = recorded.nodeRuns.filter(({ end_time }) => end_time === null);
  expect(open).toHaveLength(1);
});

it('a wait below the limit does not release the run', async () => {
  const { result } = await claimFlow(waitFlow(30), INPUTS, { ...options, leastSleepMs: 31 });
  expect(endOf(result).status).toBe('succeeded');
});
