import type { ValueMap } from '../../../../types/value.ts';
import { type NodeCall, NodeError, requireInput, type ScriptTask } from '../../engine/node.ts';
import { RhaiError } from '../../rhai/errors.ts';
import { compileScript, type RhaiScript, type RunResult } from '../../rhai/script.ts';
import { RhaiMap, type RhaiValue } from '../../rhai/values.ts';
import { fromScriptValue, toScriptValue } from './values.ts';

/** What a script reaches of the run that it belongs to. */
export interface ScriptHooks {
  log: NodeCall['log'];
  /** Called every few thousand operations; what it throws ends the script. */
  onProgress: () => void;
}

/** Scripts that are kept compiled: a loop runs the same one again and again. */
const CACHE_SIZE = 32;

const cache = new Map<string, RhaiScript>();

/** The script, compiled; the one that was not used for the longest time makes way for another. */
function scriptOf(source: string): RhaiScript {
  const script = cache.get(source) ?? compileScript(source);
  cache.delete(source);
  cache.set(source, script);
  const oldest = cache.keys().next().value;
  if (cache.size > CACHE_SIZE && oldest !== undefined) cache.delete(oldest);
  return script;
}

/** The text of the script among the inputs; throws a NodeError where there is none. */
export function sourceOf(inputs: ValueMap): string {
  const value = requireInput(inputs, 'source');
  if (!('S' in value)) throw new NodeError('source takes a string');
  return value.S;
}

/** A value of an input or output; errors say which. */
function convert<From, To>(port: string, name: string, from: From, conversion: (value: From) => To): To {
  try {
    return conversion(from);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    throw new NodeError(`${port} \`${name}\`: ${error.message}`, { cause: error });
  }
}

/** The variables of a script by the names of the inputs: those that the node declares exist in any case. */
function variablesOf(inputs: ValueMap, declared: readonly string[]): Map<string, RhaiValue> {
  const variables = new Map<string, RhaiValue>(declared.map((name) => [name, null]));
  for (const [name, value] of Object.entries(inputs)) variables.set(name, convert('input', name, value, toScriptValue));
  variables.delete('source');
  return variables;
}

function runScript({ inputs, inputNames, environment }: ScriptTask, { log, onProgress }: ScriptHooks): RunResult {
  const source = sourceOf(inputs);
  const variables = variablesOf(inputs, inputNames);
  try {
    return scriptOf(source).run({
      variables,
      constants: [['ENV', new RhaiMap(new Map(Object.entries(environment)))]],
      onPrint: (text) => log('Info', text),
      onDebug: (text, { line, column }) => log('Debug', `${text} (line ${line}, position ${column})`),
      onProgress,
    });
  } catch (error) {
    if (!(error instanceof RhaiError)) throw error;
    throw new NodeError(error.message, { cause: error });
  }
}

/** The outputs that variables of the script were set for; of a single one that was not, the value of the script. */
function outputsOf({ value, variables }: RunResult, names: readonly string[]): ValueMap {
  const outputs: ValueMap = Object.create(null);
  const [single, ...others] = names;
  for (const name of names) {
    const isSingle = name === single && others.length === 0;
    const result = variables.get(name) ?? (isSingle ? value : null);
    if (result !== null) outputs[name] = convert('output', name, result, fromScriptValue);
  }
  return outputs;
}

/** Runs a script and gives the node's outputs. Throws a NodeError for what is wrong with it, and whatever `onProgress` throws. */
export const evaluateScript = (task: ScriptTask, hooks: ScriptHooks): ValueMap =>
  outputsOf(runScript(task, hooks), task.outputNames);
