import { type ResourceLimits, Worker } from 'node:worker_threads';
import type { SpawnScriptThread } from '../threads/script_threads.ts';

/**
 * Starts a thread of Node. A thread does not inherit the process's loader of TypeScript, so the thread loads that
 * loader again.
 */
function startThread(resourceLimits: ResourceLimits | undefined): Worker {
  const file = new URL('./script_thread.ts', import.meta.url);
  if ('Deno' in globalThis) return new Worker(file);
  const reader = new URL('../../platform/loader/typescript.js', import.meta.url);
  const load = `import('${reader.href}').then(() => import('${file.href}'))`;
  return new Worker(load, { eval: true, resourceLimits });
}

/**
 * Makes the function that starts the thread for scripts of a long-lived worker. Without limits, a thread may use as
 * much memory as its process.
 */
export const makeSpawnNodeScriptThread =
  (resourceLimits?: ResourceLimits): SpawnScriptThread => (onMessage, onError) => {
    const worker = startThread(resourceLimits);
    worker.on('message', onMessage).on('error', ({ message }) => onError(message));
    // The process may end while the thread is idle.
    worker.unref();
    return { post: (request) => worker.postMessage(request), terminate: () => void worker.terminate() };
  };

export const spawnNodeScriptThread: SpawnScriptThread = makeSpawnNodeScriptThread();
