import { parentPort, Worker } from 'node:worker_threads';
import { answerScript } from '../../functions/runner/answer_script.ts';
import type { SpawnScriptThread, ThreadRequest } from '../../functions/runner/script_threads.ts';

// In the thread itself.
parentPort?.on('message', (request: ThreadRequest) => parentPort!.postMessage(answerScript(request)));

/** Starts a thread of Node's. */
export const spawnNodeScriptThread: SpawnScriptThread = (onAnswer, onError) => {
  const worker = new Worker(new URL(import.meta.url), { execArgv: ['--import', 'tsx'] });
  worker.on('message', onAnswer).on('error', ({ message }) => onError(message));
  // A worker that is done does not wait for it.
  worker.unref();
  return { post: (request) => worker.postMessage(request), terminate: () => void worker.terminate() };
};
