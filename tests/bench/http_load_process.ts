import { makeHttpClient } from './http_client.ts';
import type { HttpLoad, HttpLoadAnswer } from './http_load.ts';
import { runLoad } from './load.ts';

process.on('message', async (load: HttpLoad) => {
  const { connections, durationMs, ...call } = load;
  const client = makeHttpClient(connections);
  const answer = (given: HttpLoadAnswer) => process.send?.(given);
  try {
    answer({ result: await runLoad(connections, durationMs, () => client.send(call)) });
  } catch (error) {
    answer({ error: (error as Error).message });
  } finally {
    client.close();
  }
});
