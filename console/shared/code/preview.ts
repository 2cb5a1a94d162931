import type { PreviewResult, PreviewTask } from './preview_expression.ts';

/** The time limit for an answer of the worker. It includes loading the sandbox. */
const TIME_LIMIT_MS = 15_000;

let worker: Worker | undefined;
let lastId = 0;
const waiting = new Map<number, (result: PreviewResult) => void>();

/** Ends the worker. The next call starts another one. */
function end(error: string): void {
  worker?.terminate();
  worker = undefined;
  for (const settle of waiting.values()) settle({ error });
  waiting.clear();
}

function start(): Worker {
  const started = new Worker(new URL('./preview_worker.ts', import.meta.url), { type: 'module' });
  started.addEventListener(
    'message',
    ({ data: { id, result } }: MessageEvent<{ id: number; result: PreviewResult }>) => {
      waiting.get(id)?.(result);
      waiting.delete(id);
    },
  );
  started.addEventListener('error', (event) => {
    event.preventDefault();
    end('There is no preview: the sandbox could not be loaded.');
  });
  return started;
}

/** Evaluates an expression as a run would, in a worker that is loaded at the first call. */
export function askPreview(task: PreviewTask): Promise<PreviewResult> {
  worker ??= start();
  const id = lastId += 1;
  return new Promise((resolve) => {
    const timer = setTimeout(() => end('The expression takes too long.'), TIME_LIMIT_MS);
    waiting.set(id, (result) => {
      clearTimeout(timer);
      resolve(result);
    });
    worker!.postMessage({ id, task });
  });
}
