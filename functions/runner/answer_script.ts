import { NodeError, type ScriptResult } from './engine/node.ts';
import { cpuLimitError } from './engine/slice.ts';
import { evaluateScript } from './nodes/rhai_script/evaluate.ts';
import type { ThreadAnswer, ThreadRequest } from './script_threads.ts';

/** Lines, and characters of them, that are kept: a run may log no more. */
const MAX_LINES = 10_000;
const MAX_CHARACTERS = 4 * 1_048_576;

/** Computes a script in the thread that this is called in. */
export function answerScript({ task, budgetMs }: ThreadRequest): ThreadAnswer {
  const until = performance.now() + budgetMs;
  const lines: ScriptResult['lines'] = [];
  let characters = 0;
  try {
    const outputs = evaluateScript(task, {
      log: (level, content) => {
        characters += content.length;
        if (lines.length < MAX_LINES && characters <= MAX_CHARACTERS) lines.push([level, content]);
      },
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
