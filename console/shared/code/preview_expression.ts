import type { Value } from '../../../types/values/value.ts';
import { openSandboxFor } from '../../../runner/script/evaluate.ts';
import { EXPRESSION_PORTS, expressionCode } from '../../../runner/script/expression_code.ts';
import { scriptClock } from '../../../runner/script/sandbox.ts';

/** An expression of an edge, and the value to which it is applied. */
export interface PreviewTask {
  expression: string;
  value: Value;
  /** The types of the input that gets the result. */
  types: readonly string[];
}

/** The result of an expression: a value, nothing, or an error. */
export type PreviewResult = { value: Value | undefined } | { error: string };

/** The time limit for evaluating an expression. */
const MAX_EVALUATION_MS = 1_000;
/** The most bytes of a result. */
const MAX_RESULT_BYTES = 1_000_000;

/** Thrown when the time for evaluating is over. */
class TimeOver extends Error {
  constructor() {
    super(`The expression takes longer than ${MAX_EVALUATION_MS / 1_000} s.`);
  }
}

/** Evaluates an expression in the sandbox of the runner. */
async function evaluate({ expression, value, types }: PreviewTask): Promise<Value | undefined> {
  const run = await openSandboxFor({
    inputs: { value },
    ...EXPRESSION_PORTS,
    environment: {},
    sandbox: { ...expressionCode(expression, types), maxOutputBytes: MAX_RESULT_BYTES },
  });
  const until = scriptClock() + MAX_EVALUATION_MS;
  const onProgress = () => {
    if (scriptClock() > until) throw new TimeOver();
  };
  return run({ log: () => {}, onProgress }).result;
}

/** Returns the result of an expression, or the error with which a run would fail. */
export async function previewExpression(task: PreviewTask): Promise<PreviewResult> {
  try {
    return { value: await evaluate(task) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
