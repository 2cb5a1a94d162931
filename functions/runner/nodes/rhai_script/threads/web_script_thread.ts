import type { SpawnScriptThread, ThreadAnswer, ThreadRequest } from './script_threads.ts';

interface WebWorker {
  addEventListener:
    & ((name: 'message', listen: (event: { data: ThreadAnswer }) => void) => void)
    & ((name: 'error', listen: (event: { message: string; preventDefault: () => void }) => void) => void);
  postMessage: (request: ThreadRequest) => void;
  terminate: () => void;
}

/** Starts a web worker; throws where the runtime has none, as hosted Edge Functions. */
export const spawnWebScriptThread: SpawnScriptThread = (onAnswer, onError) => {
  const { Worker: WebWorker } = globalThis as unknown as {
    Worker?: new (url: URL, options: { type: 'module' }) => WebWorker;
  };
  if (WebWorker === undefined) throw new Error('the runtime has no web workers');
  const worker = new WebWorker(new URL('./script_thread.ts', import.meta.url), { type: 'module' });
  worker.addEventListener('message', ({ data }) => onAnswer(data));
  worker.addEventListener('error', (event) => {
    // Else it ends the function too.
    event.preventDefault();
    onError(event.message);
  });
  return { post: (request) => worker.postMessage(request), terminate: () => worker.terminate() };
};
