import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on loopback that counts its requests, by path. */
export interface EffectServer {
  url: string;
  counts: Map<string, number>;
  close: () => Promise<void>;
}

/**
 * Answers each request with `{"path": …}` after some milliseconds. Counts every request that arrives, answered or not.
 */
export async function startEffectServer(delayMs: number): Promise<EffectServer> {
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    counts.set(path, (counts.get(path) ?? 0) + 1);
    setTimeout(() => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ path }));
    }, delayMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
