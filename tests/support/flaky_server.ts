import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The answer to a request: a status with headers, silence on an open connection, or a broken connection. */
export type FlakyAnswer = { status: number; headers?: Record<string, string> } | 'silence' | 'break';

/** A server on loopback that answers as the test tells it. */
export interface FlakyServer {
  url: string;
  /** Returns the times at which requests of a path came, in milliseconds since 1970. */
  requests: (path: string) => number[];
  close: () => Promise<void>;
}

/** Starts the server. `answer` decides the answer to the nth request of each path, n counting from 1. */
export async function startFlakyServer(answer: (n: number, path: string) => FlakyAnswer): Promise<FlakyServer> {
  const requests = new Map<string, number[]>();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const times = [...requests.get(path) ?? [], Date.now()];
    requests.set(path, times);
    const given = answer(times.length, path);
    if (given === 'silence') return;
    if (given === 'break') return request.socket.destroy();
    response.writeHead(given.status, { 'content-type': 'application/json', ...given.headers });
    response.end('{"done":true}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: (path) => requests.get(path) ?? [],
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
