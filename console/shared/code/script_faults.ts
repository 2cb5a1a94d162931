import type { CodeFault, ParseTask } from './parse_code.ts';

/** The time limit for an answer of the worker. It includes loading the parser. */
const TIME_LIMIT_MS = 15_000;

interface Answer {
  id: number;
  /** Missing if the worker could not parse the source. */
  faults?: CodeFault[];
}

let worker: Worker | undefined;
let lastId = 0;
/** The requests that wait for an answer, by their numbers. */
const waiting = new Map<number, (faults: CodeFault[]) => void>();

/** Ends the worker. The next request starts another one. */
function end(): void {
  worker?.terminate();
  worker = undefined;
  for (const settle of waiting.values()) settle([]);
  waiting.clear();
}

function start(): Worker {
  const started = new Worker(new URL('./parse_worker.ts', import.meta.url), { type: 'module' });
  started.addEventListener('message', ({ data: { id, faults = [] } }: MessageEvent<Answer>) => {
    waiting.get(id)?.(faults);
    waiting.delete(id);
  });
  started.addEventListener('error', (event) => {
    event.preventDefault();
    end();
  });
  return started;
}

/**
 * Returns the faults of a script or an expression. The runner's own parser finds them, in a worker that is loaded at
 * the first call. If parsing takes too long, returns no faults. A deploy and a run parse the source again.
 */
export function scriptFaults(
  language: ParseTask['language'],
  source: string,
  inputs: readonly string[] = [],
): Promise<CodeFault[]> {
  worker ??= start();
  const id = lastId += 1;
  return new Promise((resolve) => {
    const timer = setTimeout(end, TIME_LIMIT_MS);
    waiting.set(id, (faults) => {
      clearTimeout(timer);
      resolve(faults);
    });
    worker!.postMessage({ id, task: { language, source, inputs: [...inputs] } satisfies ParseTask });
  });
}
