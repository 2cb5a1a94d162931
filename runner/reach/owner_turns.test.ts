import { expect, it, onTestFinished, vi } from 'vitest';
import type { HttpRequest, HttpResponse } from '../engine/node.ts';
import { makeOwnerTurns } from './owner_turns.ts';

const request = (url: string, signal = new AbortController().signal): HttpRequest => ({
  method: 'GET',
  url,
  headers: [],
  signal,
});

/** Makes a client whose requests end when the test says so. */
function makePendingClient() {
  const pending = new Map<string, { answer: () => void; fail: () => void }>();
  const http = {
    request: ({ url }: HttpRequest) =>
      new Promise<HttpResponse>((resolve, reject) => {
        pending.set(url, {
          answer: () => resolve({ status: 200, headers: {}, body: new Uint8Array() }),
          fail: () => reject(new Error('broken')),
        });
      }),
  };
  return { http, pending };
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

it('all runs of an owner together make a limited number of requests at a time, and other owners are not delayed', async () => {
  const turnsOf = makeOwnerTurns(2, 60_000);
  const { http, pending } = makePendingClient();
  const [first, second] = [turnsOf('owner', http), turnsOf('owner', http)];
  const asked = [first.request(request('1')), second.request(request('2')), first.request(request('3'))];
  const other = turnsOf('other', http).request(request('4'));
  await tick();
  expect([...pending.keys()].toSorted()).toEqual(['1', '2', '4']);
  pending.get('1')!.answer();
  await asked[0];
  await tick();
  expect([...pending.keys()]).toContain('3');
  for (const { answer } of pending.values()) answer();
  expect(await Promise.all([asked[1], asked[2], other])).toHaveLength(3);
});

it('a request that is aborted while it waits is not made, and takes no turn', async () => {
  const turnsOf = makeOwnerTurns(1);
  const { http, pending } = makePendingClient();
  const owner = turnsOf('owner', http);
  const under = owner.request(request('1'));
  const stop = new AbortController();
  const aborted = owner.request(request('2', stop.signal));
  const next = owner.request(request('3'));
  await tick();
  stop.abort(new Error('stopped'));
  await expect(aborted).rejects.toThrow('stopped');
  pending.get('1')!.answer();
  await under;
  await tick();
  expect([...pending.keys()]).toEqual(['1', '3']);
  pending.get('3')!.answer();
  await next;
});

it('the turn of a request that failed is free only after a pause', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const turnsOf = makeOwnerTurns(1, 2_000);
  const { http, pending } = makePendingClient();
  const owner = turnsOf('owner', http);
  const failed = owner.request(request('1'));
  const next = owner.request(request('2'));
  await tick();
  pending.get('1')!.fail();
  await expect(failed).rejects.toThrow('broken');
  vi.advanceTimersByTime(1_999);
  await tick();
  expect([...pending.keys()]).toEqual(['1']);
  vi.advanceTimersByTime(1);
  await tick();
  expect([...pending.keys()]).toEqual(['1', '2']);
  pending.get('2')!.answer();
  await next;
});
