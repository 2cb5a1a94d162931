import { runLimits } from '../../../engine/limits.ts';
import { LogBuffer } from '../../../engine/log_buffer.ts';
import { NodeError } from '../../../engine/node.ts';
import { cpuLimitError } from '../../../engine/slice.ts';
import { evaluateScript } from '../evaluate.ts';
import type { ThreadAnswer, ThreadRequest } from './script_threads.ts';

/** Computes a script in the thread that this is called in. */
export function answerScript({ task, budgetMs }: ThreadRequest): ThreadAnswer {
  const until = performance.now() + budgetMs;
  const log = new LogBuffer(task.environment, runLimits);
  const { lines } = log;
  try {
    const outputs = evaluateScript(task, {
      log: log.add,
      onProgress: () => {
        if (performance.now() > until) throw cpuLimitError(budgetMs);
      },
    });
    return { lines, outputs };
  } catch (error) {
    if (error instanceof NodeError) return { lines, nodeError: error.message };
    return { lines, fault: error instanceof Error ? error.message : String(error) };
  }
}
