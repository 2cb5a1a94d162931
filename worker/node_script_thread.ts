import { Worker } from 'node:worker_threads';
import type { SpawnScriptThread } from '../functions/runner/nodes/rhai_script/threads/script_threads.ts';

/** What computes scripts, in a thread. A thread of Node's does not take over that this process reads TypeScript: it has to be told again. */
function startThread(): Worker {
  const file = new URL('./script_thread.ts', import.meta.url);
  if ('Deno' in globalThis) return new Worker(file);
  const load = `import('tsx/esm/api').then(({ register }) => { register(); return import('${file.href}'); })`;
  return new Worker(load, { eval: true });
}

/** Starts a thread beside a long-lived worker. */
export const spawnNodeScriptThread: SpawnScriptThread = (onAnswer, onError) => {
  const worker = startThread();
  worker.on('message', onAnswer).on('error', ({ message }) => onError(message));
  // A worker that is done does not wait for it.
  worker.unref();
  return { post: (request) => worker.postMessage(request), terminate: () => void worker.terminate() };
};
