import { createServer, type Server } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { readPostgresAddress } from './address.ts';
import { openSocket, tryNextServer } from './open_socket.ts';

const servers: Server[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve)))));

async function startServer(): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => {}).end());
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as { port: number }).port;
}

const addressOf = (...ports: number[]) =>
  readPostgresAddress(`postgresql://postgres@${ports.map((port) => `127.0.0.1:${port}`).join()}/postgres`);

const { signal } = new AbortController();

async function portOf(address: ReturnType<typeof addressOf>): Promise<number | undefined> {
  const socket = await openSocket(address, signal);
  const port = socket.remotePort;
  socket.destroy();
  return port;
}

it('connects to the first server that accepts, and begins with this server the next time', async () => {
  const [gone, second, third] = [await startServer(), await startServer(), await startServer()];
  await new Promise((resolve) => servers.shift()!.close(resolve));
  const address = addressOf(gone, second, third);
  expect(await portOf(address)).toBe(second);
  expect(await portOf(address)).toBe(second);
  tryNextServer(address);
  expect(await portOf(address)).toBe(third);
  tryNextServer(address);
  expect(await portOf(address)).toBe(second);
});

it('fails with the error of the last server if no server accepts', async () => {
  const port = await startServer();
  await new Promise((resolve) => servers.shift()!.close(resolve));
  await expect(openSocket(addressOf(port, port), signal)).rejects.toThrow('ECONNREFUSED');
});

it('an aborted try is the last one', async () => {
  const stop = new AbortController();
  const opened = openSocket(addressOf(await startServer(), await startServer()), stop.signal);
  stop.abort(new Error('stopped'));
  await expect(opened).rejects.toThrow('stopped');
});
