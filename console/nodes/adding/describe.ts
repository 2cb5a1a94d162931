import type { Described } from 'flow-deployments-client/describing';
import type { SourceDescription } from './kinds.ts';

/** The time limit for a document. A hostile one of 16 MiB takes half a minute. */
const TIME_LIMIT_MS = 120_000;

/**
 * Makes definitions of a description in a worker of its own, so that a large one does not block the page. Throws if it
 * gives no definition.
 */
export function describeInWorker(wanted: SourceDescription, signal: AbortSignal): Promise<Described> {
  const worker = new Worker(new URL('./describe_worker.ts', import.meta.url), { type: 'module' });
  return new Promise<Described>((resolve, reject) => {
    const fail = (message: string) => reject(new Error(message));
    signal.addEventListener('abort', () => fail('The description is no longer needed.'));
    setTimeout(() => fail('Reading the description takes too long.'), TIME_LIMIT_MS);
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      fail('The description can’t be read: it may need more memory than the browser has.');
    });
    worker.addEventListener('message', ({ data }: MessageEvent<Described>) => {
      if (data.definitions.length > 0 || data.refused.some(({ place }) => place !== '')) resolve(data);
      else fail(data.refused[0]?.reason ?? 'It describes no operations, tools or instructions.');
    });
    worker.postMessage(wanted);
  }).finally(() => worker.terminate());
}
