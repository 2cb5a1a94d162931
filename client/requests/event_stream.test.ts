import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../types/run_event.ts';
import { readEvents } from './event_stream.ts';

const bodyOf = (chunks: Uint8Array[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });

async function read(chunks: Uint8Array[], onRetry?: (ms: number) => void): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of readEvents(bodyOf(chunks), onRetry)) events.push(event);
  return events;
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const TEXT = [
  'retry: 1500',
  '',
  ':',
  '',
  'id: 1',
  'event: node_start',
  'data: {"name":"größer 🚀","time":"x"}',
  '',
  ': comment',
  'id: 2',
  'event: log',
  'data: {"content":"a: b\\nc"}',
  '',
  'event: run_finish',
  'id: 3',
  'data: {"status":',
  'data: "succeeded"}',
  '',
  'id: 4',
  'event: cut_off',
  'data: {}',
].join('\n');
const EVENTS = [
  { id: 1, event: 'node_start', data: { name: 'größer 🚀', time: 'x' } },
  { id: 2, event: 'log', data: { content: 'a: b\nc' } },
  { id: 3, event: 'run_finish', data: { status: 'succeeded' } },
];

describe.each(['\n', '\r\n', '\r'])('a stream with lines that end in %j', (end) => {
  const bytes = encode(TEXT.replaceAll('\n', end));

  it('gives the same events wherever it is cut in two', async () => {
    for (let at = 0; at <= bytes.length; at++) {
      expect(await read([bytes.slice(0, at), bytes.slice(at)])).toEqual(EVENTS);
    }
  });

  it('gives the same events byte by byte', async () => {
    expect(await read(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(EVENTS);
  });
});

it('reports the delay before the next connection', async () => {
  const told: number[] = [];
  await read([encode(TEXT)], (ms) => told.push(ms));
  expect(told).toEqual([1500]);
});

it.each([
  'data: {}\n\n',
  'id: 1\ndata: {}\n\n',
  'id: x\nevent: log\ndata: {}\n\n',
  'id: 0\nevent: log\ndata: {}\n\n',
  'id: 1\nevent: log\ndata: <html>\n\n',
  'id: 1\nevent: log\ndata: null\n\n',
  'id: 1\nevent: log\ndata: 7\n\n',
])('refuses a message that is no event of the backend: %j', async (text) => {
  await expect(read([encode(text)])).rejects.toMatchObject({ code: 'answer_invalid' });
});

it('refuses an endless event before it fills the memory', async () => {
  let sent = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      sent++;
      controller.enqueue(encode(sent === 1 ? 'id: 1\nevent: log\ndata: ' : 'x'.repeat(65_536)));
    },
  });
  await expect(readEvents(endless).next()).rejects.toMatchObject({ code: 'answer_too_large' });
  expect(sent).toBeLessThan(30);
});
