import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFlowClient } from '../create_flow_client.ts';

const RUN = '019aa645-8d3c-7a10-9f27-61c2f0a4d7e5';
const COUNT = 20;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const textOf = (id: number): string => {
  const event = id === COUNT ? 'run_finish' : 'node_start';
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify({ flow_run_id: RUN, called_by: null, time: 'ü' })}\n\n`;
};

interface Connection {
  after: number;
  headers: Headers;
  /** True after the reader has closed the stream. */
  isCancelled: boolean;
}

/**
 * Makes a backend with a run of COUNT events. `cuts` has one number for each connection: the bytes after which the
 * connection ends. `breaks` selects how it ends.
 */
function makeBackend(cuts: number[], breaks: 'closes' | 'fails' = 'closes') {
  const connections: Connection[] = [];
  const answers: (() => Response | Promise<Response>)[] = [];
  const send: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const instead = answers.shift();
    if (instead !== undefined) return await instead();
    const after = Number(request.headers.get('last-event-id') ?? 0);
    const connection: Connection = { after, headers: request.headers, isCancelled: false };
    connections.push(connection);
    if (after === COUNT) return new Response(null, { status: 204 });
    const all = `retry: 100\n\n:\n\n${
      Array.from({ length: COUNT - after }, (_, index) => textOf(after + 1 + index)).join('')
    }`;
    const bytes = new TextEncoder().encode(all).slice(0, cuts.shift() ?? Infinity);
    let isSent = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (!isSent) controller.enqueue(bytes);
        else if (breaks === 'fails') controller.error(new TypeError('terminated'));
        else controller.close();
        isSent = true;
      },
      cancel: () => void (connection.isCancelled = true),
    }, { highWaterMark: 0 });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  const client = createFlowClient({ url: 'http://localhost', key: 'k', fetch: send });
  return { client, connections, answers };
}

/** Collects the events of an iteration, while fake time passes quickly. */
async function watch(
  client: ReturnType<typeof createFlowClient>,
  options: Parameters<typeof client.events>[1] = {},
): Promise<{ ids: number[]; error?: { code: string } }> {
  const ids: number[] = [];
  const over = (async () => {
    try {
      for await (const { id } of client.events({ flow_run_id: RUN, token: 'fr_x' }, options)) ids.push(id);
      return { ids };
    } catch (error) {
      return { ids, error: error as { code: string } };
    }
  })();
  let isOver = false;
  void over.then(() => isOver = true);
  for (let step = 0; step < 10_000 && !isOver; step++) await vi.advanceTimersByTimeAsync(100);
  return await over;
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe.each(['closes', 'fails'] as const)('a connection that %s', (breaks) => {
  it('at any byte is replaced, and each event comes once and in order', async () => {
    for (let first = 1; first < 400; first += 29) {
      const { client, connections } = makeBackend([first, 300, 1, 350], breaks);
      expect(await watch(client)).toEqual({ ids: upTo(COUNT) });
      expect(connections.length).toBeGreaterThan(1);
    }
  });
});

it('sends the token of the run and the id of the last event', async () => {
  const { client, connections } = makeBackend([300]);
  expect(await watch(client, { lastEventId: 5 })).toEqual({ ids: upTo(COUNT).slice(5) });
  expect(connections[0]).toMatchObject({ after: 5 });
  expect(connections[0]!.headers.get('x-flow-run-token')).toBe('fr_x');
  expect(connections[1]!.after).toBeGreaterThan(5);
});

it('yields nothing to a watcher who already has the last event', async () => {
  const { client } = makeBackend([]);
  expect(await watch(client, { lastEventId: COUNT })).toEqual({ ids: [] });
});

const refuse = (status: number, code: string, headers: Record<string, string> = {}) => () =>
  Response.json({ code, message: code, details: null, hint: null }, { status, headers });

it('a refusal ends the iteration, for the first and for later connections', async () => {
  const first = makeBackend([]);
  first.answers.push(refuse(404, 'flow_run_not_found'));
  expect(await watch(first.client)).toMatchObject({ ids: [], error: { code: 'flow_run_not_found' } });
  const later = makeBackend([400]);
  later.answers.push(() => Promise.reject(new TypeError('refused')));
  const { ids } = await watch(later.client);
  expect(ids).toEqual(upTo(COUNT));
});

it('soon reports a backend that is down at first, and waits two minutes for a later failure', async () => {
  const away = () => Promise.reject(new TypeError('refused'));
  const never = makeBackend([]);
  never.answers.push(...Array.from({ length: 3 }, () => away));
  expect(await watch(never.client)).toMatchObject({ ids: [], error: { code: 'unreachable' } });
  expect(never.answers).toEqual([]);

  const later = makeBackend([700]);
  const began = Date.now();
  const events = later.client.events(RUN);
  const ids: number[] = [];
  while (ids.length < 3) ids.push((await events.next()).value!.id);
  later.answers.push(...Array.from({ length: 1_000 }, () => away));
  const failing = (async () => {
    for (;;) {
      const { value, done } = await events.next();
      if (done) return;
      ids.push(value.id);
    }
  })().catch((error: { code: string }) => error.code);
  let isOver = false;
  void failing.then(() => isOver = true);
  while (!isOver) await vi.advanceTimersByTimeAsync(1_000);
  expect(await failing).toBe('unreachable');
  expect(Date.now() - began).toBeGreaterThan(120_000);
  expect(Date.now() - began).toBeLessThan(150_000);
});

it('waits for a full backend after an earlier connection', async () => {
  const { client, answers, connections } = makeBackend([400]);
  const events = client.events(RUN);
  const first = await events.next();
  answers.push(refuse(429, 'too_many_requests', { 'retry-after': '5' }));
  const ids = [first.value!.id];
  const rest = (async () => {
    for (let next = await events.next(); !next.done; next = await events.next()) ids.push(next.value.id);
  })();
  await vi.advanceTimersByTimeAsync(10_000);
  await rest;
  expect(ids).toEqual(upTo(COUNT));
  expect(connections).toHaveLength(2);
});

it('gives up a connection without a byte for 45 s', async () => {
  const { client, answers } = makeBackend([]);
  answers.push(() => new Response(new ReadableStream(), { headers: { 'content-type': 'text/event-stream' } }));
  expect(await watch(client)).toEqual({ ids: upTo(COUNT) });
});

it('refuses an answer that is no stream of events', async () => {
  const { client, answers } = makeBackend([]);
  answers.push(() => Response.json({ hello: 'world' }));
  expect(await watch(client)).toMatchObject({ error: { code: 'answer_invalid' } });
});

it('closes the connection when the reader leaves', async () => {
  const { client, connections } = makeBackend([]);
  for await (const { id } of client.events(RUN)) if (id === 3) break;
  expect(connections.map(({ isCancelled }) => isCancelled)).toEqual([true]);
});

it('the signal ends the iteration, also while it waits to reconnect', async () => {
  const gone = new AbortController();
  const { client } = makeBackend([400]);
  const events = client.events(RUN, { signal: gone.signal });
  const ids: number[] = [];
  const reading = (async () => {
    for (let next = await events.next(); !next.done; next = await events.next()) ids.push(next.value.id);
  })().catch((error: { code: string }) => error.code);
  await vi.advanceTimersByTimeAsync(1);
  expect(ids.length).toBeGreaterThan(0);
  gone.abort();
  await vi.advanceTimersByTimeAsync(1);
  expect(await reading).toBe('aborted');
});
