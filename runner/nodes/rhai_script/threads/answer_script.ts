import { runLimits } from '../../../engine/limits.ts';
import { LogBuffer } from '../../../engine/log_buffer.ts';
import { NodeError } from '../../../engine/node.ts';
import { cpuLimitError } from '../../../engine/slice.ts';
import { evaluateScript } from '../evaluate.ts';
import type { ThreadAnswer, ThreadRequest } from './script_threads.ts';
import { threadCpuMs } from './thread_cpu.ts';

/** Clocks in milliseconds. */
interface Clocks {
  now: () => number;
  /** The CPU time of this thread; undefined if the runtime can't tell, and `now` counts instead. */
  computedMs: () => number | undefined;
}

/**
 * On a busy machine, a script may take this many times its budget. After that it is ended too, because other scripts
 * wait for its thread.
 */
const LONGEST_STRETCH = 10;

const CLOCKS: Clocks = { now: () => performance.now(), computedMs: threadCpuMs };

/** Makes a function that throws after a script has computed for longer than its budget. */
function makeTimer(budgetMs: number, { now, computedMs }: Clocks): () => void {
  const began = now();
  const computedBefore = computedMs();
  /** The thread's CPU time is read rarely: it can't have grown by more than the elapsed time. */
  let until = began + budgetMs;
  return () => {
    const time = now();
    if (time <= until) return;
    const computed = computedMs();
    const spentMs = computed === undefined || computedBefore === undefined ? time - began : computed - computedBefore;
    if (spentMs > budgetMs || time - began > LONGEST_STRETCH * budgetMs) throw cpuLimitError(budgetMs);
    until = time + budgetMs - spentMs;
  };
}

/** Computes a script in the calling thread. */
export function answerScript({ task, budgetMs }: ThreadRequest, clocks: Clocks = CLOCKS): ThreadAnswer {
  const log = new LogBuffer(task.environment, runLimits);
  const { lines } = log;
  try {
    const outputs = evaluateScript(task, { log: log.add, onProgress: makeTimer(budgetMs, clocks) });
    return { lines, outputs };
  } catch (error) {
    if (error instanceof NodeError) return { lines, nodeError: error.message };
    return { lines, fault: error instanceof Error ? error.message : String(error) };
  }
}
