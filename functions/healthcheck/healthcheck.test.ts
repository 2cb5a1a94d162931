import type { Context } from 'hono';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { KEPT_MS, LIMIT_MS, makeHealthcheck } from './healthcheck.ts';

const context = { json: (body: unknown) => Response.json(body) } as unknown as Context;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Makes a health check. The test gives the database's answers. */
function makeChecked() {
  const asked: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const ask = () => new Promise<void>((resolve, reject) => void asked.push({ resolve, reject }));
  const handle = makeHealthcheck(ask, Date.now);
  const outcome = () =>
    handle(context).then(async (response) => await response.json(), (error: { code: string }) => error.code);
  return { asked, outcome };
}

it('a thousand concurrent callers cost one query', async () => {
  const { asked, outcome } = makeChecked();
  const outcomes = Array.from({ length: 1_000 }, outcome);
  expect(asked).toHaveLength(1);
  asked[0]!.resolve();
  expect(new Set((await Promise.all(outcomes)).map((body) => JSON.stringify(body)))).toEqual(
    new Set(['{"success":true}']),
  );
});

it.each([['an answer', true], ['a failure', false]])('%s is reused for a second', async (_what, answers) => {
  const { asked, outcome } = makeChecked();
  const first = outcome();
  await vi.advanceTimersByTimeAsync(2_000);
  if (answers) asked[0]!.resolve();
  else asked[0]!.reject(new Error('refused'));
  const expected = answers ? { success: true } : 'service_unavailable';
  expect(await first).toEqual(expected);
  await vi.advanceTimersByTimeAsync(KEPT_MS - 1);
  expect(await outcome()).toEqual(expected);
  expect(asked).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  const next = outcome();
  expect(asked).toHaveLength(2);
  asked[1]!.resolve();
  expect(await next).toEqual({ success: true });
});

it('a database that does not answer in time counts as down', async () => {
  const { asked, outcome } = makeChecked();
  const first = outcome();
  await vi.advanceTimersByTimeAsync(LIMIT_MS);
  expect(await first).toBe('service_unavailable');
  expect(asked).toHaveLength(1);
});
