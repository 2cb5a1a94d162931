import type { SpawnScriptThread, ThreadMessage, ThreadRequest } from './script_threads.ts';

interface WebWorker {
  addEventListener:
    & ((name: 'message', listen: (event: { data: ThreadMessage }) => void) => void)
    & ((name: 'error', listen: (event: { message: string; preventDefault: () => void }) => void) => void);
  postMessage: (request: ThreadRequest) => void;
  terminate: () => void;
}

/** Starts a web worker. Throws if the runtime has none, as in hosted Edge Functions. */
export const spawnWebScriptThread: SpawnScriptThread = (onMessage, onError) => {
  const { Worker: WebWorker } = globalThis as unknown as {
    Worker?: new (url: URL, options: { type: 'module' }) => WebWorker;
  };
  if (WebWorker === undefined) throw new Error('the runtime has no web workers');
  const worker = new WebWorker(new URL('./script_thread.ts', import.meta.url), { type: 'module' });
  worker.addEventListener('message', ({ data }) => onMessage(data));
  worker.addEventListener('error', (event) => {
    // Without this call, an error in the web worker would end the whole Edge Function.
    event.preventDefault();
    onError(event.message);
  });
  return { post: (request) => worker.postMessage(request), terminate: () => worker.terminate() };
};
