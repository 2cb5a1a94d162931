import type { ValueMap } from '../../../../types/values/value.ts';
import { runLimits } from '../../engine/limits.ts';
import { LogBuffer } from '../../engine/log_buffer.ts';
import { type NodeCall, type NodeModule, type ScriptTask, ThreadMissing } from '../../engine/node.ts';
import { definitions } from './definitions.ts';
import { evaluateScript, sourceOf } from './evaluate.ts';
import { RecentSources } from './recent_sources.ts';

/** How long a script may compute where everything else waits for it, before it begins anew in a thread of its own. */
const TRIAL_MS = 20;
/** Characters of a script that takes longer than that to be read alone. */
const LONG_SOURCE = 16_384;
/** Characters of the scripts that are remembered as long ones. */
const REMEMBERED_CHARACTERS = 262_144;

/** Those that took longer than the trial; what is longer than LONG_SOURCE needs not be among them. */
const longScripts = new RecentSources<true>(REMEMBERED_CHARACTERS, LONG_SOURCE);

/** Thrown when the trial is over: a script can't catch it. */
class TrialOver extends Error {}

/** The outputs of a script that is done within the trial; undefined for another, which has left no trace. */
function tryShort(task: ScriptTask, { log, checkTime }: NodeCall): ValueMap | undefined {
  const buffer = new LogBuffer(task.environment, runLimits);
  const until = performance.now() + TRIAL_MS;
  let isOver = false;
  try {
    return evaluateScript(task, {
      log: buffer.add,
      onProgress: () => {
        checkTime();
        if (performance.now() > until) throw new TrialOver();
      },
    });
  } catch (error) {
    isOver = error instanceof TrialOver;
    if (!isOver) throw error;
    return undefined;
  } finally {
    if (!isOver) { for (const line of buffer.lines) log(...line); }
  }
}

/** Where there are threads, long scripts run there: on the engine's own, all runs of the worker would wait for them. */
function run(call: NodeCall): ValueMap | Promise<ValueMap> {
  const { inputs, inputNames, outputNames, scripts, log, rest, run: { environment } } = call;
  const task: ScriptTask = { inputs, inputNames, outputNames, environment };
  const evaluateHere = () => evaluateScript(task, { log, onProgress: call.checkTime });
  if (scripts === undefined) return evaluateHere();
  const source = sourceOf(inputs);
  const isLong = source.length > LONG_SOURCE || longScripts.get(source) === true;
  const outputs = isLong ? undefined : tryShort(task, call);
  if (outputs !== undefined) return outputs;
  longScripts.set(source, true);
  return rest(() => scripts(task, call)).then((result) => {
    for (const line of result.lines) log(...line);
    if ('error' in result) throw result.error;
    return result.outputs;
  }, (error) => {
    if (error instanceof ThreadMissing) return evaluateHere();
    throw error;
  });
}

/** Scripts of the Rhai language, one node for each number of inputs and outputs. */
export const rhaiScriptNodes: NodeModule[] = definitions.map((definition) => ({
  definition,
  takesPortsFromFlow: true,
  leavesOutputsUnset: true,
  run,
}));
