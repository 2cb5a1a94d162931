import type { ValueMap } from '../../../types/values/value.ts';
import { runLimits } from '../../engine/limits.ts';
import { LogBuffer } from '../../engine/log_buffer.ts';
import {
  formText,
  type NodeCall,
  NodeError,
  type NodeModule,
  type ScriptTask,
  ThreadMissing,
} from '../../engine/node.ts';
import { freeDefinition, sizeDefinitions } from './definitions.ts';
import { evaluateScript, sourceOf } from './evaluate.ts';
import { RecentSources } from '../../threads/recent_sources.ts';

/**
 * The time for which a script may compute in the engine's thread, where it blocks all other runs. A script that takes
 * longer is started again in another thread.
 */
const TRIAL_MS = 20;
/** The most characters of a source that is tried. The parsing of a longer source alone may exceed the trial. */
const LONG_SOURCE = 16_384;
/** The most characters of all remembered sources of long scripts together. */
const REMEMBERED_CHARACTERS = 262_144;

/** Scripts that exceeded the trial. A source longer than LONG_SOURCE counts as long anyway, so it is not remembered. */
const longScripts = new RecentSources<true>(REMEMBERED_CHARACTERS, LONG_SOURCE);

/** Thrown at the end of the trial. A script can't catch it. */
class TrialOver extends Error {}

/**
 * Returns the outputs of a script that ends within the trial. Returns undefined for a longer script and drops its log
 * lines.
 */
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

/**
 * Runs a long script in a separate thread if possible. In the engine's thread, it would block all runs of the worker.
 */
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

/** Runs the script in the form data. Only the flow's author can set this script, because it is not an input. */
function runOwn(call: NodeCall): ValueMap | Promise<ValueMap> {
  const source = formText(call.formData, 'source');
  if (source === undefined) throw new NodeError('the form data has no text `source`');
  const inputs: ValueMap = Object.assign(Object.create(null), call.inputs, { source: { S: source } });
  return run({ ...call, inputs });
}

const TRAITS = { takesPortsFromFlow: true, leavesOutputsUnset: true } as const;

/** The node whose ports the flow's author adds and names. */
export const rhaiScriptNode: NodeModule = { definition: freeDefinition, ...TRAITS, run: runOwn };

/** The older nodes, one for each number of inputs and outputs. They get the script by the input `source`. */
export const sizedScriptNodes: NodeModule[] = sizeDefinitions.map((definition) => ({ definition, ...TRAITS, run }));
