import { runLimits } from '../engine/limits/run_limits.ts';
import { LogBuffer } from '../engine/log/log_buffer.ts';
import { NodeError } from '../engine/node.ts';
import { cpuLimitError } from '../engine/state/slice.ts';
import { prepare } from './evaluators.ts';
import { SANDBOX_MS, sandboxLimitError } from './sandbox_time.ts';
import type { ThreadAnswer, ThreadRequest } from './script_threads.ts';
import { threadCpuMs } from './thread_cpu.ts';

/** Clocks in milliseconds. */
interface Clocks {
  now: () => number;
  /** The CPU time of this thread. Undefined if the runtime can't measure it; then `now` is used instead. */
  computedMs: () => number | undefined;
}

/**
 * On a busy machine, a script gets its CPU time slowly. When this many times its budget have passed on the clock, the
 * script is ended, because other scripts wait for the thread.
 */
const LONGEST_STRETCH = 10;

const CLOCKS: Clocks = { now: () => performance.now(), computedMs: threadCpuMs };

/** Makes a function that throws after a script has computed for longer than its budget. */
function makeTimer({ task, budgetMs: givenMs }: ThreadRequest, { now, computedMs }: Clocks): () => void {
  const isSandboxed = task.sandbox !== undefined && givenMs > SANDBOX_MS;
  const budgetMs = isSandboxed ? SANDBOX_MS : givenMs;
  const began = now();
  const computedBefore = computedMs();
  /**
   * The time of the next reading of the thread's CPU time. CPU time can't grow faster than elapsed time, so an earlier
   * reading could not find the budget used up.
   */
  let until = began + budgetMs;
  return () => {
    const time = now();
    if (time <= until) return;
    const computed = computedMs();
    const spentMs = computed === undefined || computedBefore === undefined ? time - began : computed - computedBefore;
    if (spentMs > budgetMs || time - began > LONGEST_STRETCH * budgetMs) {
      throw isSandboxed ? sandboxLimitError() : cpuLimitError(budgetMs);
    }
    until = time + budgetMs - spentMs;
  };
}

/** Computes a script in the calling thread. */
export async function answerScript(request: ThreadRequest, clocks: Clocks = CLOCKS): Promise<ThreadAnswer> {
  const { task } = request;
  const log = new LogBuffer(task.environment, runLimits);
  const { lines } = log;
  try {
    const evaluate = await prepare(task);
    return { lines, outputs: evaluate({ log: log.add, onProgress: makeTimer(request, clocks) }) };
  } catch (error) {
    if (error instanceof NodeError) return { lines, nodeError: error.message };
    return { lines, fault: error instanceof Error ? error.message : String(error) };
  }
}
