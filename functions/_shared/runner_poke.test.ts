import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Config } from '../../platform/config.ts';
import type { Platform } from './edge_platform.ts';
import { makeRunnerPoke } from './runner_poke.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const config: Config = {
  supabaseUrl: 'http://project',
  restUrl: 'http://project/rest/v1',
  publicKey: 'public',
  secretKey: 'secret',
  publicKeys: [],
  secretKeys: [],
};

/** Makes a platform whose runner answers at the test's command. */
function makePlatform(env: Record<string, string> = {}) {
  const answers: ((outcome: Response | Error) => void)[] = [];
  const addresses: string[] = [];
  const hungUp: string[] = [];
  const kept: Promise<unknown>[] = [];
  const platform: Platform = {
    env: (name) => env[name],
    fetch: (address, init) =>
      new Promise((resolve, reject) => {
        init?.signal?.addEventListener('abort', () => hungUp.push(String(address)));
        addresses.push(String(address));
        answers.push((outcome) => outcome instanceof Error ? reject(outcome) : resolve(outcome));
      }),
    waitUntil: (work) => void kept.push(work),
  };
  return { answers, addresses, hungUp, kept, poke: makeRunnerPoke(platform, config) };
}

const answered = () => new Response('{}', { status: 202 });

it('merges all pokes that come while a poke is under way into one later poke', async () => {
  const { answers, kept, poke } = makePlatform();
  for (let count = 0; count < 10; count++) poke();
  expect(answers.length).toBe(1);
  await vi.advanceTimersByTimeAsync(300);
  answers[0]!(answered());
  await vi.advanceTimersByTimeAsync(0);
  expect(answers.length).toBe(2);
  answers[1]!(answered());
  // The function that poked stays alive until the poke for its run is sent.
  await Promise.all(kept);
  await vi.advanceTimersByTimeAsync(200);
  expect([kept.length, answers.length]).toEqual([10, 2]);
  poke();
  expect(answers.length).toBe(3);
});

it('sends at most one poke in 200 ms, and the last of them after the last start', async () => {
  const { answers, kept, poke } = makePlatform();
  for (let ms = 0; ms < 1_000; ms += 10) {
    poke();
    answers.at(-1)!(answered());
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(answers.length).toBe(6);
  answers.at(-1)!(answered());
  await Promise.all(kept);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(answers.length).toBe(6);
});

it('a poke for one run names the run, and a merged poke names no run', async () => {
  const { answers, addresses, kept, poke } = makePlatform();
  for (const id of ['first', 'second', 'third']) poke(id);
  for (const index of [0, 1]) {
    answers[index]!(answered());
    await vi.advanceTimersByTimeAsync(200);
  }
  await Promise.all(kept);
  poke();
  expect(addresses).toEqual(
    ['?flow_run_id=first', '', ''].map((query) => `http://project/functions/v1/runner${query}`),
  );
});

it('a failed poke does not delay later ones', async () => {
  const { answers, poke } = makePlatform();
  poke();
  poke();
  answers[0]!(new Error('refused'));
  await vi.advanceTimersByTimeAsync(200);
  expect(answers.length).toBe(2);
});

it('an unanswered poke delays the next one by a second at most', async () => {
  const { answers, poke } = makePlatform();
  poke();
  poke();
  await vi.advanceTimersByTimeAsync(990);
  expect(answers.length).toBe(1);
  await vi.advanceTimersByTimeAsync(20);
  expect(answers.length).toBe(2);
});

it('an unanswered poke is aborted at its time limit, and an answered one leaves no timer', async () => {
  const { answers, hungUp, poke } = makePlatform();
  poke('hanging');
  await vi.advanceTimersByTimeAsync(1_500);
  poke('answered');
  answers[1]!(answered());
  await vi.advanceTimersByTimeAsync(28_000);
  expect([hungUp, vi.getTimerCount()]).toEqual([[], 1]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(hungUp).toEqual(['http://project/functions/v1/runner?flow_run_id=hanging']);
  expect(vi.getTimerCount()).toBe(0);
});

it('sends no poke if the runner is switched off', () => {
  const { answers, poke } = makePlatform({ RUNNER_DISABLED: '1' });
  poke();
  expect(answers.length).toBe(0);
});
