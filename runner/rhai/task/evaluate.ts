import type { ValueMap } from '../../../types/values/value.ts';
import { type NodeCall, NodeError, requireInput, type ScriptTask } from '../../engine/node.ts';
import { RhaiError } from '../errors.ts';
import { givenMap } from '../given.ts';
import { compileScript, type EvaluatedScript, type RhaiScript } from '../script.ts';
import type { RhaiValue } from '../values.ts';
import { RecentSources } from '../../script/recent_sources.ts';
import { fromScriptValue, toScriptValue } from './values.ts';

/** The functions that a script calls during its run. */
interface ScriptHooks {
  log: NodeCall['log'];
  /** Called every few thousand operations of the script. If it throws an error, the script ends. */
  onProgress: () => void;
}

/**
 * Compiled scripts are cached, because a loop runs the same script again and again. CACHED_CHARACTERS limits all cached
 * sources together, and CACHED_SCRIPT_CHARACTERS limits a single source. A compiled script takes 200 to 400 bytes for
 * each character of its source.
 */
const CACHED_CHARACTERS = 262_144;
const CACHED_SCRIPT_CHARACTERS = 65_536;

const cache = new RecentSources<RhaiScript>(CACHED_CHARACTERS, CACHED_SCRIPT_CHARACTERS);

/** Returns the compiled script, from the cache if possible. */
function scriptOf(source: string): RhaiScript {
  const known = cache.get(source);
  if (known !== undefined) return known;
  const script = compileScript(source);
  cache.set(source, script);
  return script;
}

/** Reads the source text of the script from the node's inputs. Throws a NodeError if it is missing. */
export function sourceOf(inputs: ValueMap): string {
  const value = requireInput(inputs, 'source');
  if (!('S' in value)) throw new NodeError('source must be a string');
  return value.S;
}

/** Converts the value of an input or output. Errors name the input or output. */
function convert<From, To>(port: string, name: string, from: From, conversion: (value: From) => To): To {
  try {
    return conversion(from);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    throw new NodeError(`${port} \`${name}\`: ${error.message}`, { cause: error });
  }
}

/**
 * Makes the variables of a script, with the names of the inputs. A declared input without a value becomes a variable
 * with the value `()`.
 */
function variablesOf(inputs: ValueMap, declared: readonly string[]): Map<string, RhaiValue> {
  const variables = new Map<string, RhaiValue>(declared.map((name) => [name, null]));
  for (const [name, value] of Object.entries(inputs)) variables.set(name, convert('input', name, value, toScriptValue));
  variables.delete('source');
  return variables;
}

/** The most names of inputs that an error lists. */
const MAX_LISTED_NAMES = 10;
const MAX_NAME_CHARACTERS = 50;

/** Makes a hint for a script that uses an unknown variable. */
function namesHint(unknown: unknown, names: readonly string[]): string {
  if (names.some((name) => name === unknown)) {
    return '; a function sees its own parameters and variables only, so pass it the input';
  }
  if (names.length === 0) return '; the script has no inputs';
  const listed = names.slice(0, MAX_LISTED_NAMES).map((name) => name.slice(0, MAX_NAME_CHARACTERS)).join(', ');
  return `; its inputs are ${listed}${names.length > MAX_LISTED_NAMES ? ' and others' : ''}`;
}

function runScript({ inputs, inputNames, environment }: ScriptTask, { log, onProgress }: ScriptHooks): EvaluatedScript {
  const source = sourceOf(inputs);
  const variables = variablesOf(inputs, inputNames);
  const names = [...variables.keys()];
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
    const hint = error.kind === 'VariableNotFound' ? namesHint(error.details.variable, names) : '';
    throw new NodeError(error.message + hint, { cause: error });
  }
}

/**
 * Collects the outputs whose variables the script has set. If the node has a single output and the script did not set
 * its variable, the output is the value of the script.
 */
function outputsOf({ value, variables }: EvaluatedScript, names: readonly string[]): ValueMap {
  const outputs: ValueMap = Object.create(null);
  const [single, ...others] = names;
  for (const name of names) {
    const isSingle = name === single && others.length === 0;
    const result = variables.get(name) ?? (isSingle ? value : null);
    if (result !== null) outputs[name] = convert('output', name, result, fromScriptValue);
  }
  return outputs;
}

/**
 * Runs a script and returns the node's outputs. Throws a NodeError if the script is wrong or fails. If `onProgress`
 * throws an error, throws that error.
 */
export const evaluateScript = (task: ScriptTask, hooks: ScriptHooks): ValueMap =>
  outputsOf(runScript(task, hooks), task.outputNames);
