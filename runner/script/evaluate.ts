import { JsonLimitError, parseLosslessJson } from '../../types/values/json_text.ts';
import { type LosslessJson, MAX_VALUE_DEPTH, type Value, ValueError, type ValueMap } from '../../types/values/value.ts';
import { type NodeCall, NodeError, type ScriptTask } from '../engine/node.ts';
import { CODE_LIBRARIES, CodeError, libraryError, runCode, variablesOf } from './author_code.ts';
import { MachineError, type MachineHooks } from './machine_hooks.ts';
import { fromMarked, markMembers, toMarked } from './marked_json.ts';
import { type FormOf, formsOf } from './number_forms.ts';
import { openSandbox, type Sandbox } from './sandbox.ts';

/** The functions of the run that a script calls. */
interface SandboxHooks {
  log: NodeCall['log'];
  /** Called several times in each millisecond. An error that it throws ends the script. */
  onProgress: () => void;
}

export type SandboxTask = ScriptTask & { sandbox: NonNullable<ScriptTask['sandbox']> };

/**
 * The guest's answer may have this many characters of marked JSON for each byte that the outputs may have. It needs
 * more than one, because it includes text around the outputs.
 */
const OUTPUT_FACTOR = 2;

type EvaluateTask = (hooks: SandboxHooks) => ValueMap;

/** Returns the function that runs a task in the sandbox of this thread, or its promise while the sandbox is loading. */
export function openSandboxFor(task: SandboxTask): EvaluateTask | Promise<EvaluateTask> {
  const { library } = task.sandbox;
  const sandbox = openSandbox(library === 'javascript' ? CODE_LIBRARIES : [library]);
  const evaluateIn = (opened: Sandbox): EvaluateTask => (hooks) => evaluateSandboxed(opened, task, hooks);
  return sandbox instanceof Promise ? sandbox.then(evaluateIn) : evaluateIn(sandbox);
}

/** Formats the task for the guest. */
function taskText(
  { inputs, inputNames, outputNames, environment, sandbox }: SandboxTask,
  parameters: string[],
): string {
  const { library, portTypes, hasRandom, maxOutputBytes } = sandbox;
  const marked = inputNames.flatMap((name, index) => {
    const value = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    return value === undefined ? [] : [[name, toMarked(value, portTypes?.inputs[index] ?? [], library)] as const];
  });
  return JSON.stringify(markMembers([
    ['inputs', markMembers(marked)],
    ['parameters', parameters],
    ['outputs', [...outputNames]],
    ['environment', markMembers(Object.entries(environment))],
    ['maxCharacters', OUTPUT_FACTOR * maxOutputBytes],
    ['hasRandom', hasRandom],
  ]));
}

const clockOff = (): never => {
  throw new CodeError('the script reads the clock, which is off: switch on "clock" in the form of the node', undefined);
};

function clockOf({ hasClock, fixedTime }: SandboxTask['sandbox']): () => number {
  if (fixedTime !== undefined) return () => fixedTime;
  return hasClock ? Date.now : clockOff;
}

const machineHooks = ({ sandbox }: SandboxTask, { log, onProgress }: SandboxHooks): MachineHooks => ({
  onProgress,
  onLog: (line) => log('Info', line),
  now: clockOf(sandbox),
  random: Math.random,
});

/** Runs code that belongs to this project (not to a flow's author) with a library. */
function runLibrary(sandbox: Sandbox, task: SandboxTask, parameters: string[], hooks: MachineHooks): string {
  const { library, source } = task.sandbox;
  if (library === 'javascript') throw new Error('runLibrary got a script, not a library');
  const code = `() => async (${parameters.join(', ')}) => {${source}\n}`;
  const answered = sandbox.run(library, code, taskText(task, parameters), hooks);
  if ('answer' in answered) return answered.answer;
  throw new CodeError(answered.error, undefined);
}

const MAX_MEMBERS = 1_000_000;

/** Reads the guest's answer. */
function readAnswer(answer: string, task: SandboxTask): LosslessJson {
  return parseLosslessJson(answer, {
    characters: OUTPUT_FACTOR * task.sandbox.maxOutputBytes + 100_000,
    depth: 2 * MAX_VALUE_DEPTH + 4,
    members: MAX_MEMBERS,
  });
}

interface ReadAnswer {
  outputs?: { [name: string]: LosslessJson };
  error?: string;
  stack?: string;
  isPending?: boolean;
}

/** Reads one output as the first of `types` that fits the output. Errors name the output. */
function readOutput(name: string, json: LosslessJson, types: readonly string[], formOf: FormOf): Value {
  try {
    for (const type of types) {
      const value = fromMarked(json, type, formOf);
      if (value !== undefined) return value;
    }
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new NodeError(`output \`${name}\` ${error.message}`, { cause: error });
  }
  throw new NodeError(`output \`${name}\` must be of the type ${types.join(' or ')}`);
}

function outputsOf(
  { outputs = {} }: ReadAnswer,
  { inputs, outputNames, sandbox: { portTypes, outputTypes } }: SandboxTask,
): ValueMap {
  const values: ValueMap = Object.create(null);
  const formOf = formsOf(inputs);
  for (const [index, name] of outputNames.entries()) {
    const json = Object.hasOwn(outputs, name) ? outputs[name] : undefined;
    if (json === undefined) continue;
    values[name] = readOutput(name, json, outputTypes ?? [portTypes?.outputs[index] ?? 'free'], formOf);
  }
  return values;
}

function runTask(sandbox: Sandbox, task: SandboxTask, hooks: MachineHooks): ValueMap {
  const { library, source } = task.sandbox;
  const variables = variablesOf(task.inputNames);
  const { answer, toError } = library === 'javascript'
    ? runCode(sandbox, { source, variables, task: taskText(task, variables) }, hooks)
    : {
      answer: runLibrary(sandbox, task, variables, hooks),
      toError: ({ error }: { error: string }) => libraryError(error),
    };
  // SAFETY: the members are checked where they are read.
  const read = readAnswer(answer, task) as ReadAnswer;
  if (typeof read.error === 'string') throw toError({ error: read.error, stack: String(read.stack) });
  if (read.isPending === true) throw new CodeError('the script awaits something that never comes', undefined);
  return outputsOf(read, task);
}

/**
 * Runs a task in the sandbox, and returns the node's outputs. Throws a NodeError if the code is wrong or fails. Passes
 * on the errors of `onProgress`.
 */
function evaluateSandboxed(sandbox: Sandbox, task: SandboxTask, hooks: SandboxHooks): ValueMap {
  try {
    return runTask(sandbox, task, machineHooks(task, hooks));
  } catch (error) {
    if (error instanceof CodeError || error instanceof JsonLimitError || error instanceof MachineError) {
      throw new NodeError(error.message, { cause: error });
    }
    throw error;
  }
}
