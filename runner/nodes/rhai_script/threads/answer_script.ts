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
  /** What this thread has computed; undefined where nobody tells, and `now` counts in its place. */
  computedMs: () => number | undefined;
}

/**
 * So many times as long as a script may compute, it may take on a busy machine. Then it ends all the same, because other
 * scripts wait for its thread.
 */
const LONGEST_STRETCH = 10;

const CLOCKS: Clocks = { now: () => performance.now(), computedMs: threadCpuMs };

/** Makes what throws once a script has computed for longer than its budget. */
function makeTimer(budgetMs: number, { now, computedMs }: Clocks): () => void {
  const began = now();
  const computedBefore = computedMs();
  /** What a thread has computed is asked seldom: as long as so little time has passed, it can't have computed more. */
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

/** Computes a script in the thread that this is called in. */
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
