import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Halt, Released } from '../engine/node.ts';
import { paidCall } from './paid_call.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const HALT: Halt = { status: 'stopped', message: 'the run was stopped', graceMs: 0 };

/** Begins a call that ends only when it is aborted, or by `answer`. */
function begin(hasWallEnd = true) {
  const signal = new AbortController();
  const releasing = new AbortController();
  const wallEnd = new AbortController();
  let answer: (text: string) => void = () => {};
  let calls = 0;
  const given = {
    signal: signal.signal,
    releasing: releasing.signal,
    ...(hasWallEnd && { wallEnd: wallEnd.signal }),
  };
  const make = () =>
    paidCall(given, (end) =>
      new Promise<string>((resolve, reject) => {
        calls += 1;
        answer = resolve;
        end.addEventListener('abort', () => reject(new Error('the request was canceled')));
      }));
  return { signal, releasing, wallEnd, make, answer: (text: string) => answer(text), calls: () => calls };
}

it('a release does not abort a call, and neither does the end of the slice at once', async () => {
  const { releasing, wallEnd, make, answer } = begin();
  const result = make();
  releasing.abort();
  wallEnd.abort();
  await vi.advanceTimersByTimeAsync(39_000);
  answer('late');
  expect(await result).toBe('late');
});

it('40 s after the end of the slice the call fails, and the error names the worker', async () => {
  const { releasing, wallEnd, make } = begin();
  const failed = expect(make()).rejects.toThrow(/^model_call_too_long: .*npm run worker/);
  await vi.advanceTimersByTimeAsync(500_000);
  releasing.abort();
  wallEnd.abort();
  await vi.advanceTimersByTimeAsync(40_000);
  await failed;
});

it('a long-lived worker waits for the call however long it takes', async () => {
  const { releasing, make, answer } = begin(false);
  const result = make();
  releasing.abort();
  await vi.advanceTimersByTimeAsync(500_000);
  answer('late');
  expect(await result).toBe('late');
});

it('a run that is released before the call leaves it to the next claim', async () => {
  const { releasing, make, calls } = begin();
  releasing.abort();
  await expect(make()).rejects.toThrow(Released);
  expect(calls()).toBe(0);
});

it('a stop aborts the call with its own message', async () => {
  const { signal, make } = begin();
  const failed = expect(make()).rejects.toThrow('the run was stopped');
  signal.abort(HALT);
  await failed;
});
