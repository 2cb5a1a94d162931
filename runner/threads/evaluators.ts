import type { ValueMap } from '../../types/values/value.ts';
import type { NodeCall, ScriptTask } from '../engine/node.ts';
import { evaluateScript } from '../rhai/task/evaluate.ts';
import { openSandboxFor, type SandboxTask } from '../script/evaluate.ts';

/** The functions of the run that a script calls. */
interface EvaluationHooks {
  log: NodeCall['log'];
  /** Called often. An error that it throws ends the script. */
  onProgress: () => void;
}

/** Computes a script. Throws a NodeError if the script is invalid or fails. Passes on the errors of `onProgress`. */
export type RunScript = (hooks: EvaluationHooks) => ValueMap;

const isSandboxed = (task: ScriptTask): task is SandboxTask => task.sandbox !== undefined;

/**
 * Loads the code that a script needs, if it is not loaded yet. Returns the function that runs the script. Only the time
 * of this function counts as the script's time.
 */
export const prepare = (task: ScriptTask): RunScript | Promise<RunScript> =>
  isSandboxed(task) ? openSandboxFor(task) : (hooks) => evaluateScript(task, hooks);
