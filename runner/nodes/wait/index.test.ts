import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { type Halt, type NodeCall, NodeError, Released } from '../../engine/node.ts';
import { waitNode } from './index.ts';

const NOW = 1_750_000_000_000;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Starts a wait and returns a function that reports its current state. */
function begin(durationMs: string | undefined, given: Partial<NodeCall> = {}): () => unknown {
  let end: unknown = 'waiting';
  const inputs: ValueMap = { value: { S: 'a' }, wait_for: { N: 0 } };
  if (durationMs !== undefined) inputs.duration_ms = { U: durationMs };
  runNode(waitNode, inputs, { startTime: NOW, ...given })
    .then((outputs) => end = outputs, (error: unknown) => end = error);
  return () => end;
}

it('wait ends when its time has passed since its start', async () => {
  const end = begin('1500');
  await vi.advanceTimersByTimeAsync(1499);
  expect(end()).toBe('waiting');
  await vi.advanceTimersByTimeAsync(1);
  expect(end()).toEqual({});
});

it('wait counts the time of earlier claims', async () => {
  const end = begin('1500', { startTime: NOW - 1000 });
  await vi.advanceTimersByTimeAsync(499);
  expect(end()).toBe('waiting');
  await vi.advanceTimersByTimeAsync(1);
  expect(end()).toEqual({});
});

it.each(['0', undefined])('wait with the duration %s ends at once', async (duration) => {
  const end = begin(duration);
  await vi.advanceTimersByTimeAsync(0);
  expect(end()).toEqual({});
});

it('wait accepts longer times than a timer', async () => {
  const end = begin('18446744073709551615');
  await vi.advanceTimersByTimeAsync(2 ** 31 + 1000);
  expect(end()).toBe('waiting');
});

it('wait fails at once when the run stops, and leaves no timer behind', async () => {
  const stop = new AbortController();
  const end = begin('60000', { signal: stop.signal });
  stop.abort({ status: 'stopped', message: 'canceled by user enough', graceMs: 0 } satisfies Halt);
  await vi.advanceTimersByTimeAsync(0);
  expect(end()).toEqual(new NodeError('canceled by user enough'));
  expect(vi.getTimerCount()).toBe(0);
});

it('wait is released when the worker releases its run', async () => {
  const releasing = new AbortController();
  const end = begin('60000', { releasing: releasing.signal });
  releasing.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect(end()).toBeInstanceOf(Released);
  expect(vi.getTimerCount()).toBe(0);
});

it('wait fails without its inputs', async () => {
  await expect(runNode(waitNode, { wait_for: { N: 0 } })).rejects.toThrow('missing field `value`');
  await expect(runNode(waitNode, { value: { N: 0 } })).rejects.toThrow('missing field `wait_for`');
});
