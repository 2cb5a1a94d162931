import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { makeEventStream, STREAM_MS, type ToldPage } from './run_event_stream.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const page = (id: number): ToldPage => ({
  // SAFETY: a stream forwards data unread.
  events: [{ id, event: 'run_start', data: {} } as unknown as ToldPage['events'][number]],
  last: id,
  has_more: true,
  has_ended: false,
});

/** Makes a stream of a run that always has more events. `onEnd` shows when the stream frees its slot. */
function makeEndless() {
  let reads = 1;
  const onEnd = vi.fn<() => void>();
  const close = vi.fn<() => void>();
  const stream = makeEventStream({
    ready: [page(1)],
    read: () => Promise.resolve(page(++reads)),
    watch: { next: () => Promise.resolve(undefined), close },
    isOwner: false,
    signal: new AbortController().signal,
    onEnd,
  });
  return { stream, onEnd, close, reads: () => reads };
}

it('a watcher who never reads is cut off and frees its slot', async () => {
  const { stream, onEnd, close, reads } = makeEndless();
  await vi.advanceTimersByTimeAsync(STREAM_MS);
  expect([onEnd.mock.calls.length, reads()]).toEqual([0, 1]);
  await vi.advanceTimersByTimeAsync(STREAM_MS);
  expect([onEnd.mock.calls.length, close.mock.calls.length, reads()]).toEqual([1, 1, 1]);
  await expect(stream.getReader().read()).rejects.toThrow('stopped reading');
});

it('a reading watcher gets the stream to its end, which is reported once', async () => {
  const { stream, onEnd } = makeEndless();
  const reader = stream.getReader();
  const { value } = await reader.read();
  expect(new TextDecoder().decode(value)).toContain('id: 1\n');
  await vi.advanceTimersByTimeAsync(STREAM_MS);
  for (let done = false; !done;) ({ done } = await reader.read());
  await vi.advanceTimersByTimeAsync(STREAM_MS);
  expect(onEnd).toHaveBeenCalledTimes(1);
});
