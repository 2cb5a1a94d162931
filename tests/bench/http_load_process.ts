import { type HttpClient, makeHttpClient } from './http_client.ts';
import type { HttpLoad, HttpLoadAnswer } from './http_load.ts';
import { runLoad } from './load.ts';

/**
 * The clients by their number of connections. Loads that take turns use the same client, and so the same connections.
 */
const clients = new Map<number, HttpClient>();

process.on('message', async (load: HttpLoad) => {
  const { connections, durationMs, ...call } = load;
  const client = clients.get(connections) ?? makeHttpClient(connections);
  clients.set(connections, client);
  const answer = (given: HttpLoadAnswer) => process.send?.(given);
  try {
    answer({ result: await runLoad(connections, durationMs, () => client.send(call)) });
  } catch (error) {
    answer({ error: (error as Error).message });
  }
});
