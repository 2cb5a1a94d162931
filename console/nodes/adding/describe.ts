import type { Described } from 'flow-deployments-client/describing';
import type { DocumentKind } from './kinds.ts';

/** The time limit for a document. A hostile one of 16 MiB takes half a minute. */
const TIME_LIMIT_MS = 120_000;

/**
 * Makes definitions of a document in a worker of its own, so that a large document does not block the page. Throws if
 * the document gives no definition.
 */
export function describeDocument(kind: DocumentKind, text: string, signal: AbortSignal): Promise<Described> {
  const worker = new Worker(new URL('./describe_worker.ts', import.meta.url), { type: 'module' });
  return new Promise<Described>((resolve, reject) => {
    const fail = (message: string) => reject(new Error(message));
    signal.addEventListener('abort', () => fail('The document is no longer needed.'));
    setTimeout(() => fail('Reading the document takes too long.'), TIME_LIMIT_MS);
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      fail('The document can’t be read: it may need more memory than the browser has.');
    });
    worker.addEventListener('message', ({ data }: MessageEvent<Described>) => {
      if (data.definitions.length > 0 || data.refused.some(({ place }) => place !== '')) resolve(data);
      else fail(data.refused[0]?.reason ?? 'The document describes no operations or instructions.');
    });
    worker.postMessage({ kind, text });
  }).finally(() => worker.terminate());
}
