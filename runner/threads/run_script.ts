import type { ValueMap } from '../../types/values/value.ts';
import { followedBy } from '../engine/followed_by.ts';
import { runLimits } from '../engine/limits.ts';
import { LogBuffer } from '../engine/log_buffer.ts';
import { type ComputeScript, type NodeCall, type SandboxCode, type ScriptTask, ThreadMissing } from '../engine/node.ts';
import { scriptClock } from '../script/sandbox.ts';
import { prepare, type RunScript } from './evaluators.ts';
import { RecentSources } from './recent_sources.ts';
import { SANDBOX_MS_WITHOUT_THREADS, sandboxLimitErrorWithoutThreads } from './sandbox_time.ts';

/**
 * The time for which a script may compute in the engine's thread, where it blocks all other runs. A script that takes
 * longer is started again in another thread.
 */
const TRIAL_MS = 20;
/**
 * The most characters of all remembered sources of long-running code together. A single source may reach this limit.
 */
const REMEMBERED_CHARACTERS = 262_144;

/** Sources that exceeded the trial. */
const longCodes = new RecentSources<true>(REMEMBERED_CHARACTERS, REMEMBERED_CHARACTERS);

/** Thrown at the end of the trial. The code can't catch it. */
class TrialOver extends Error {}

/** The members of a node's call that code in the sandbox needs. */
export type SandboxCall =
  & Pick<NodeCall, 'inputs' | 'inputNames' | 'outputNames' | 'portTypes' | 'maxOutputBytes'>
  & Pick<NodeCall, 'scripts' | 'log' | 'checkTime' | 'rest' | 'signal' | 'releasing'>
  & { run: Pick<NodeCall['run'], 'environment'> };

/** Returns the outputs of code that ends within the trial. Undefined for longer code, whose log lines are dropped. */
function tryShort(evaluate: RunScript, task: ScriptTask, { log, checkTime }: SandboxCall): ValueMap | undefined {
  const buffer = new LogBuffer(task.environment, runLimits);
  const until = scriptClock() + TRIAL_MS;
  let isOver = false;
  try {
    return evaluate({
      log: buffer.add,
      onProgress: () => {
        checkTime();
        if (scriptClock() > until) throw new TrialOver();
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
  const { inputs, inputNames, outputNames, portTypes, maxOutputBytes, scripts, run: { environment } } = call;
  const task: ScriptTask = {
    inputs,
    inputNames,
    outputNames,
    environment,
    sandbox: { ...code, portTypes, maxOutputBytes },
  };
  if (scripts === undefined) return followedBy(prepare(task), (evaluate) => runHere(evaluate, call));
  const key = `${code.library} ${code.source}`;
  if (longCodes.get(key) === true) return runInThread(task, call, scripts);
  return followedBy(prepare(task), (evaluate) => {
    const outputs = tryShort(evaluate, task, call);
    if (outputs !== undefined) return outputs;
    longCodes.set(key, true);
    return runInThread(task, call, scripts);
  });
}
