import { createServer } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startSilentServer } from '../../tests/support/silent_server.ts';
import { waitFor } from '../../tests/support/wait.ts';
import { readPostgresAddress } from './address.ts';
import { makePostgresRpc } from './postgres_rpc.ts';

afterEach(() => vi.useRealTimers());

/** A message of Postgres that refuses a client and ends its connection. */
function fatalMessage(code: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0Mrefused\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/**
 * Returns the outcomes of concurrent calls. The server gives every connection this answer, and then closes the
 * connection.
 */
async function outcomesAt(answer: Buffer, query: string, count: number): Promise<unknown[]> {
  const server = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(answer)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const address = readPostgresAddress(`postgresql://postgres:secret@127.0.0.1:${port}/postgres${query}`);
  const { rpc, close } = makePostgresRpc({ address, maxConnections: 2, keptConnections: 1, idleMs: 1_000 });
  const calls = Array.from(
    { length: count },
    () => rpc('claim_flow_runs', {}).then(() => 'answered', (error) => error.code),
  );
  const outcomes = await Promise.all(calls);
  close();
  await new Promise((resolve) => server.close(resolve));
  return outcomes;
}

describe.each(['', '?pgbouncer=true'])('at an address with %j', (query) => {
  it.each([
    ['08P01', 'service_unavailable'],
    ['57P03', 'service_unavailable'],
    ['57P05', 'service_unavailable'],
    ['XX000', 'service_unavailable'],
    ['28P01', 'token_invalid'],
    ['3D000', 'internal'],
    ['42501', 'internal'],
  ])('a connection that is refused with %s fails with %s', async (code, expected) => {
    expect(await outcomesAt(fatalMessage(code), query, 1)).toEqual([expected]);
  });

  it('when a connection is lost, all calls that wait for it fail', async () => {
    expect(await outcomesAt(Buffer.alloc(0), query, 10)).toEqual(
      Array.from({ length: 10 }, () => 'service_unavailable'),
    );
  });
});

it('a call to a silent server fails with service_unavailable and leaves no connection', async () => {
  const server = await startSilentServer();
  const address = readPostgresAddress(`postgresql://postgres:secret@127.0.0.1:${new URL(server.url).port}/postgres`);
  const { rpc, close } = makePostgresRpc({ address, maxConnections: 2, keptConnections: 1, idleMs: 1_000 });
  try {
    // Only these two timers are fake. The loop below waits in real time until the call has arrived.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const outcome = rpc('claim_flow_runs', {}).then(() => 'answered', ({ code }) => code);
    const arrived = (async () => {
      while (server.waiting() === 0) {
        await new Promise((resolve) => setImmediate(resolve));
        vi.advanceTimersByTime(1);
      }
    })();
    await arrived;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await outcome).toBe('service_unavailable');
    vi.useRealTimers();
    await waitFor(() => server.waiting() === 0 || undefined);
  } finally {
    close();
    await server.close();
  }
});
