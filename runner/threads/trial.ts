import type { ValueMap } from '../../types/values/value.ts';
import { runLimits } from '../engine/limits/run_limits.ts';
import { LogBuffer } from '../engine/log/log_buffer.ts';
import type { NodeCall, ScriptTask } from '../engine/node.ts';
import { scriptClock } from '../script/sandbox.ts';
import type { RunScript } from './evaluators.ts';
import { OwnerOverruns } from './owner_overruns.ts';
import { RecentSources } from '../script/recent_sources.ts';

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
const longSources = new RecentSources<true>(REMEMBERED_CHARACTERS, REMEMBERED_CHARACTERS);
const overruns = new OwnerOverruns();

/** Thrown at the end of the trial. The code can't catch it. */
class TrialOver extends Error {}

const isProbablyLong = (source: string, ownerId: string): boolean =>
  longSources.get(source) === true || overruns.hasMany(ownerId);

/** The members of a node's call that a trial needs. */
type TrialCall = Pick<NodeCall, 'log' | 'checkTime'> & { run: Pick<NodeCall['run'], 'ownerId'> };

/**
 * Runs code in the engine's thread, for the time of the trial. Returns undefined for longer code, whose log lines are
 * dropped, and without a trial for code that would probably exceed it: it did so lately, or other code of its owner did
 * several times. `source` names the code.
 */
export function tryShort(
  source: string,
  evaluate: RunScript,
  task: Pick<ScriptTask, 'environment'>,
  { log, checkTime, run: { ownerId } }: TrialCall,
): ValueMap | undefined {
  if (isProbablyLong(source, ownerId)) return undefined;
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
    longSources.set(source, true);
    overruns.add(ownerId);
    return undefined;
  } finally {
    if (!isOver) { for (const line of buffer.lines) log(...line); }
  }
}
