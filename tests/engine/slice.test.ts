import { expect, it } from 'vitest';
import { type HttpClient, NodeError, Released } from '../../runner/engine/node.ts';
import { makeSlice, UNLIMITED } from '../../runner/engine/state/slice.ts';
import { claimFlow, endOf, type Recorded } from '../support/execute_flow.ts';
import { FlowBuilder } from '../support/flow_builder.ts';

/** Makes a slice of 100 ms of computing, on a clock that the test sets. */
function makeTestSlice() {
  const clock = { now: 0 };
  return { clock, slice: makeSlice({ wallMs: Infinity, busyMs: 100 }, () => clock.now) };
}

it('only computing counts, and parallel computing counts once', () => {
  const { clock, slice } = makeTestSlice();
  slice.startComputing();
  slice.startComputing();
  clock.now = 60;
  slice.stopComputing();
  slice.stopComputing();
  clock.now = 10_000;
  slice.startComputing();
  clock.now += 39;
  slice.stopComputing();
  expect(slice.spent.aborted).toBe(false);
  slice.startComputing();
  clock.now += 1;
  slice.stopComputing();
  expect(slice.spent.aborted).toBe(true);
});

it('computations that yield continue one at a time, owners in turn', async () => {
  const { slice } = makeTestSlice();
  const order: string[] = [];
  const compute = async (ownerId: string, run: string) => {
    await slice.breathe(ownerId);
    order.push(run);
    await Promise.resolve();
    order.push(run);
  };
  await Promise.all([
    ...['a1', 'a2', 'a3', 'a4'].map((run) => compute('a', run)),
    compute('b', 'b1'),
    ...['c1', 'c2'].map((run) => compute('c', run)),
  ]);
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3', 'a4'].flatMap((run) => [run, run]));
});

it('a pause is due after 20 ms of uninterrupted computing, and not after another pause', () => {
  const { clock, slice } = makeTestSlice();
  clock.now = 500;
  slice.startComputing();
  expect(slice.needsBreath()).toBe(false);
  clock.now += 20;
  expect(slice.needsBreath()).toBe(true);
  slice.stopComputing();
  // The computation stops and continues at once, as it does after a call that is already answered. No other computation
  // ran between the stop and the continuation.
  slice.startComputing();
  expect(slice.needsBreath()).toBe(true);
});

it('a computation that had the whole slice fails; a later one is released and may try again', () => {
  const { clock, slice } = makeTestSlice();
  slice.startComputing();
  const early = slice.makeCheck(false);
  clock.now = 50;
  const late = slice.makeCheck(false);
  const again = slice.makeCheck(true);
  expect([early(), late(), again()]).toEqual([undefined, undefined, undefined]);
  clock.now = 100;
  expect(early).toThrow(NodeError);
  expect(early).toThrow('node_cpu_limit');
  expect(late).toThrow(Released);
  expect(slice.spent.aborted).toBe(true);
  // A new slice has its own budget, which counts from the slice's beginning.
  expect(again()).toBeUndefined();
  clock.now = 150;
  expect(again).toThrow('node_cpu_limit');
});

it('a slice without limits ends when it is told to', () => {
  const slice = makeSlice(UNLIMITED);
  slice.startComputing();
  expect(slice.makeCheck(false)()).toBeUndefined();
  slice.stopComputing();
  expect(slice.spent.aborted).toBe(false);
  slice.end();
  expect(slice.spent.aborted).toBe(true);
});

it('a run whose history uses up each slice still gets answers from outside, and ends', async () => {
  const flow = new FlowBuilder();
  const balance = flow.use('get_balance', { pubkey: flow.constant({ S: '1'.repeat(32) }) }).output('balance');
  flow.output('balance', balance);
  const body = new TextEncoder().encode('{"result":{"context":{"slot":1},"value":7}}');
  const http: HttpClient = {
    request: async ({ signal }) => {
      signal.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 0));
      signal.throwIfAborted();
      return { status: 200, headers: {}, body };
    },
  };
  const claim = (earlier?: Recorded) =>
    claimFlow(flow, {}, { slice: makeSlice({ wallMs: Infinity, busyMs: 0 }), services: { http }, earlier });
  let last = await claim();
  for (let count = 0; last.result.status === 'released' && count < 10; count++) last = await claim(last.recorded);
  expect(endOf(last.result).output.M).toEqual({ balance: { U: '7' } });
});
