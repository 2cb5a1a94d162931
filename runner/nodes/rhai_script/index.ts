import type { ValueMap } from '../../../types/values/value.ts';
import {
  formText,
  type NodeCall,
  NodeError,
  type NodeModule,
  type ScriptTask,
  ThreadMissing,
} from '../../engine/node.ts';
import { freeDefinition, sizeDefinitions } from './definitions.ts';
import { evaluateScript, sourceOf } from '../../rhai/task/evaluate.ts';
import { tryShort } from '../../threads/trial.ts';

/** The most characters of a source that is tried. The parsing of a longer source alone may exceed the trial. */
const LONG_SOURCE = 16_384;
/**
 * Runs a long script in a separate thread if possible. In the engine's thread, it would block all runs of the worker.
 */
function run(call: NodeCall): ValueMap | Promise<ValueMap> {
  const { inputs, inputNames, outputNames, scripts, log, rest, run: { environment } } = call;
  const task: ScriptTask = { inputs, inputNames, outputNames, environment };
  const evaluateHere = () => evaluateScript(task, { log, onProgress: call.checkTime });
  if (scripts === undefined) return evaluateHere();
  const source = sourceOf(inputs);
  const outputs = source.length > LONG_SOURCE
    ? undefined
    : tryShort(`rhai ${source}`, (hooks) => evaluateScript(task, hooks), task, call);
  if (outputs !== undefined) return outputs;
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
