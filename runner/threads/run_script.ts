import { makeComputingLine } from '../../platform/computing_line.ts';
import { networkTurn } from '../../platform/pause.ts';
import type { ValueMap } from '../../types/values/value.ts';
import { followedBy } from '../../platform/followed_by.ts';
import { type ComputeScript, type NodeCall, type SandboxCode, type ScriptTask, ThreadMissing } from '../engine/node.ts';
import { scriptClock } from '../script/sandbox.ts';
import { prepare, type RunScript } from './evaluators.ts';
import { SANDBOX_MS_WITHOUT_THREADS, sandboxLimitErrorWithoutThreads } from './sandbox_time.ts';
import { tryShort } from './trial.ts';

/**
 * The code that waited until the sandbox was loaded. Without this line, all of it would begin in one turn of the event
 * loop.
 */
const afterLoading = makeComputingLine(networkTurn);

/** Prepares the sandbox for a task. */
function prepareInTurn(task: ScriptTask, ownerId: string): RunScript | Promise<RunScript> {
  const prepared = prepare(task);
  if (!(prepared instanceof Promise)) return prepared;
  return prepared.then(async (evaluate) => {
    await afterLoading(ownerId);
    return evaluate;
  });
}

/** The members of a node's call that code in the sandbox needs. */
type SandboxCall =
  & Pick<NodeCall, 'inputs' | 'inputNames' | 'outputNames' | 'portTypes' | 'maxOutputBytes'>
  & Pick<NodeCall, 'scripts' | 'log' | 'checkTime' | 'rest' | 'signal' | 'releasing'>
  & { run: Pick<NodeCall['run'], 'environment' | 'ownerId'> };

/** Runs code in the engine's thread, with the time limit that applies there. */
function runHere(evaluate: RunScript, { log, checkTime }: SandboxCall): ValueMap {
  const until = scriptClock() + SANDBOX_MS_WITHOUT_THREADS;
  return evaluate({
    log,
    onProgress: () => {
      checkTime();
      if (scriptClock() > until) throw sandboxLimitErrorWithoutThreads();
    },
  });
}

/** Runs code in a separate thread, or in the engine's thread if the runtime has no threads. */
async function runInThread(task: ScriptTask, call: SandboxCall, scripts: ComputeScript): Promise<ValueMap> {
  const { log, rest } = call;
  const result = await rest(() => scripts(task, call)).catch((error) => {
    if (error instanceof ThreadMissing) return undefined;
    throw error;
  });
  if (result === undefined) return runHere(await prepare(task), call);
  for (const line of result.lines) log(...line);
  if ('error' in result) throw result.error;
  return result.outputs;
}

/**
 * Runs code in the sandbox. Code that takes long runs in a separate thread if possible. In the engine's thread, it
 * would block all runs of the worker. If the sandbox is loaded, the code begins before this function returns, so that
 * its computing time counts for the calling run.
 */
export function runSandboxed(call: SandboxCall, code: SandboxCode): ValueMap | Promise<ValueMap> {
  const { inputs, inputNames, outputNames, portTypes, maxOutputBytes, scripts, run: { environment, ownerId } } = call;
  const task: ScriptTask = {
    inputs,
    inputNames,
    outputNames,
    environment,
    sandbox: { ...code, portTypes, maxOutputBytes },
  };
  return followedBy(prepareInTurn(task, ownerId), (evaluate) => {
    if (scripts === undefined) return runHere(evaluate, call);
    const source = `${code.library} ${code.source}`;
    return tryShort(source, evaluate, task, call) ?? runInThread(task, call, scripts);
  });
}
