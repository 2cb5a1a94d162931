import type { ValueMap } from '../../../../types/values/value.ts';
import { type NodeCall, NodeError, requireInput, type ScriptTask } from '../../engine/node.ts';
import { RhaiError } from '../../rhai/errors.ts';
import { givenMap } from '../../rhai/given.ts';
import { compileScript, type RhaiScript, type RunResult } from '../../rhai/script.ts';
import type { RhaiValue } from '../../rhai/values.ts';
import { RecentSources } from './recent_sources.ts';
import { fromScriptValue, toScriptValue } from './values.ts';

/** What a script reaches of the run that it belongs to. */
export interface ScriptHooks {
  log: NodeCall['log'];
  /** Called every few thousand operations; what it throws ends the script. */
  onProgress: () => void;
}

/**
 * Characters of the scripts that are kept compiled, since a loop runs the same one again and again, and of one of them: compiled, a
 * script takes 200 to 400 bytes for each of its characters.
 */
const CACHED_CHARACTERS = 262_144;
const CACHED_SCRIPT_CHARACTERS = 65_536;

const cache = new RecentSources<RhaiScript>(CACHED_CHARACTERS, CACHED_SCRIPT_CHARACTERS);

/** The script, compiled. */
function scriptOf(source: string): RhaiScript {
  const known = cache.get(source);
  if (known !== undefined) return known;
  const script = compileScript(source);
  cache.set(source, script);
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
      constants: [['ENV', givenMap(Object.entries(environment))]],
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
