import {
  type ComputeScript,
  haltError,
  NodeError,
  Released,
  type ScriptResult,
  type ScriptTask,
  ThreadMissing,
} from '../engine/node.ts';

/** A request to a thread to compute a script. */
export interface ThreadRequest {
  task: ScriptTask;
  /** The CPU time of the script, in milliseconds. */
  budgetMs: number;
}

/** The answer of a thread. Errors are sent as text: `nodeError` is an error of the script, `fault` any other. */
export type ThreadAnswer =
  & Pick<ScriptResult, 'lines'>
  & ({ outputs: Extract<ScriptResult, { outputs: unknown }>['outputs'] } | { nodeError: string } | { fault: string });

/** A message of a thread: 'ready' after its start, then one answer for each script. */
export type ThreadMessage = 'ready' | ThreadAnswer;

/** A thread of any runtime: a web worker, or a worker thread of Node. */
export interface ScriptThread {
  post: (request: ThreadRequest) => void;
  terminate: () => void;
}

/**
 * Starts a thread. Throws if the runtime has none. `onError` is called if the thread can't start or has ended with an
 * error.
 */
export type SpawnScriptThread = (
  onMessage: (message: ThreadMessage) => void,
  onError: (message: string) => void,
) => ScriptThread;

interface ScriptThreadsOptions {
  spawn: SpawnScriptThread;
  /** The CPU time of a script, in milliseconds. */
  budgetMs: number;
}

/** The time for which an idle thread keeps its memory. */
const IDLE_MS = 5_000;
/** The number of owners whose last turns are remembered. */
const MAX_OWNERS = 1_000;

interface Job {
  ownerId: string;
  task: ScriptTask;
  resolve: (result: ScriptResult) => void;
  reject: (error: Error) => void;
}

const errorOf = (answer: ThreadAnswer): Error | undefined => {
  if ('nodeError' in answer) return new NodeError(answer.nodeError);
  return 'fault' in answer ? new Error(answer.fault) : undefined;
};

/**
 * Makes one thread besides the engine's, for the scripts of all runs of a worker. The next script is one of the owner
 * who has waited longest since the owner's last script. An owner therefore waits for at most one script of each other
 * owner. As soon as the runtime proves to have no threads, the returned function returns undefined.
 */
export function makeScriptThreads(
  { spawn, budgetMs }: ScriptThreadsOptions,
): (ownerId: string) => ComputeScript | undefined {
  const queue: Job[] = [];
  const lastTurns = new Map<string, number>();
  let turn = 0;
  let thread: ScriptThread | undefined;
  let active: Job | undefined;
  /** True after a thread has started once, so that the runtime is known to have threads. */
  let hasStarted = false;
  let isMissing = false;
  let idle: ReturnType<typeof setTimeout> | undefined;

  const end = () => {
    thread?.terminate();
    thread = undefined;
  };
  const refuseAll = () => {
    isMissing = true;
    for (const { reject } of [...active === undefined ? [] : [active], ...queue.splice(0)]) reject(new ThreadMissing());
    active = undefined;
  };
  const onAnswer = (answer: ThreadAnswer) => {
    const job = active;
    active = undefined;
    const error = errorOf(answer);
    if (error !== undefined) job?.resolve({ lines: answer.lines, error });
    else if ('outputs' in answer) job?.resolve({ lines: answer.lines, outputs: answer.outputs });
    next();
  };
  const onError = (message: string) => {
    end();
    // If no thread has ever started, the runtime has no threads. Otherwise the script ended the thread, for example by
    // using too much memory.
    if (!hasStarted) return refuseAll();
    active?.reject(new NodeError(`the script ended its thread: ${message}`));
    active = undefined;
    next();
  };
  const takeNext = (): Job | undefined => {
    const lastTurn = ({ ownerId }: Job) => lastTurns.get(ownerId) ?? 0;
    let first = 0;
    queue.forEach((job, index) => {
      if (lastTurn(job) < lastTurn(queue[first]!)) first = index;
    });
    const [job] = queue.splice(first, 1);
    if (job === undefined) return undefined;
    lastTurns.delete(job.ownerId);
    lastTurns.set(job.ownerId, ++turn);
    const [longestAgo] = lastTurns.keys();
    if (lastTurns.size > MAX_OWNERS && longestAgo !== undefined) lastTurns.delete(longestAgo);
    return job;
  };
  /**
   * Starts a thread. Messages of an ended thread that arrive late are dropped, because they belong to an earlier
   * script, perhaps of another owner.
   */
  const start = (): ScriptThread => {
    const started: ScriptThread = spawn(
      (message) => {
        if (thread !== started) return;
        hasStarted = true;
        if (message !== 'ready') onAnswer(message);
      },
      (message) => {
        if (thread === started) onError(message);
      },
    );
    return started;
  };
  const endWhenIdle = (): void => {
    idle = setTimeout(end, IDLE_MS);
    // In Node, a timer is an object, and without `unref` it would keep a stopped worker alive. In Deno, a timer is a
    // number, and no Edge Function waits for it.
    if (typeof idle === 'object') (idle as { unref: () => void }).unref();
  };
  const next = (): void => {
    if (active !== undefined) return;
    clearTimeout(idle);
    active = takeNext();
    if (active === undefined) {
      if (thread !== undefined) endWhenIdle();
      return;
    }
    try {
      thread ??= start();
    } catch {
      return refuseAll();
    }
    thread.post({ task: active.task, budgetMs });
  };

  const makeCompute = (ownerId: string): ComputeScript => (task, { signal, releasing }) => {
    if (isMissing) return Promise.reject(new ThreadMissing());
    return new Promise<ScriptResult>((resolve, reject) => {
      const job: Job = { ownerId, task, resolve, reject };
      /**
       * Removes a waiting script from the queue when its run is released. A script that is being computed continues,
       * because it ends soon and the next claim would have to start it again.
       */
      const leaveQueue = () => {
        const place = queue.indexOf(job);
        if (place === -1) return;
        queue.splice(place, 1);
        reject(new Released());
      };
      const cancel = () => {
        if (active === job) {
          active = undefined;
          end();
          next();
        } else if (queue.includes(job)) queue.splice(queue.indexOf(job), 1);
        reject(haltError(signal));
      };
      const settle = <T>(goOn: (value: T) => void) => (value: T) => {
        releasing.removeEventListener('abort', leaveQueue);
        signal.removeEventListener('abort', cancel);
        goOn(value);
      };
      job.resolve = settle(resolve);
      job.reject = settle(reject);
      releasing.addEventListener('abort', leaveQueue);
      signal.addEventListener('abort', cancel);
      queue.push(job);
      next();
      if (releasing.aborted) leaveQueue();
    });
  };
  return (ownerId) => isMissing ? undefined : makeCompute(ownerId);
}
