import { MAX_TIMER_MS } from '../_shared/pause.ts';
import { runLimits } from './engine/limits.ts';
import { type SliceLimits, UNLIMITED } from './engine/slice.ts';

interface NumberSetting {
  default: number;
  min: number;
  max: number;
}

const setting = (value: number, min = 1, max = MAX_TIMER_MS): NumberSetting => ({ default: value, min, max });

/** How the runner works; each is overridden by the environment variable of its name in upper case. */
const numberSettings = {
  /** How long a claim holds without a sign of life; then another worker may take the run over. Several heartbeats fit in. */
  runnerLeaseSeconds: setting(30, 2, 3_600),
  /** Runs that one worker executes at a time. */
  runnerConcurrency: setting(16, 1, 1_000),
  /** Runs that one worker holds beside those while they only wait: for a time, a confirmation, the sender of an action. */
  runnerRestingRuns: setting(256, 0, 10_000),
  /** Runs that one worker executes beside those, one of each owner who has no place, while others hold them all. */
  runnerGuestRuns: setting(16, 0, 1_000),
  /** A run that only waits, and for longer than this, goes back to the queue: it comes up to 2 s early, and must not go back again. */
  runnerLongWaitMs: setting(10_000, 2_000),
  /** Bytes of node outputs, as JSON, that the runs of one worker hold in memory together; a run alone may hold what a run may. */
  runnerMaxHeldBytes: setting(16_777_216),
  /** Workers that a run may lose in a row before it fails. */
  runnerMaxLostClaims: setting(5),
  /**
   * The time that an Edge Function works before its runs go back to the queue, and how much of it may be computing. With other workers
   * a run goes back after the same time, when others wait and there is no place for them.
   */
  runnerSliceMs: setting(100_000),
  runnerSliceBusyMs: setting(1_000),
  /** How long a node's HTTP request may take. */
  httpTimeoutMs: setting(30_000),
  /** Bytes that the answer to a node's HTTP request may have, and the request's own body. */
  httpMaxResponseBytes: setting(10 * 1_048_576),
  /** HTTP requests that one run, its children included, makes at a time; more of them wait. */
  flowRunMaxHttpRequests: setting(16, 1, 1_000),
  /** Bytes of HTTP requests and answers that one run, and one worker, holds at a time; who wants more waits. */
  flowRunMaxHttpBytes: setting(24 * 1_048_576),
  runnerMaxHttpBytes: setting(48 * 1_048_576),
  flowRunMaxNodeExecutions: setting(runLimits.nodeExecutions),
  flowRunMaxInterflowDepth: setting(runLimits.interflowDepth),
  flowRunMaxOpenNodes: setting(runLimits.openNodes),
  flowRunMaxOutputBytes: setting(runLimits.outputBytes),
  flowRunMaxAllOutputBytes: setting(runLimits.allOutputBytes),
  flowRunMaxTotalBytes: setting(runLimits.totalBytes),
  /** How long whoever is asked for a signature has, and how long the signer of an action has to send the transaction. */
  signatureTimeoutMs: setting(180_000),
  actionTimeoutMs: setting(180_000),
  /** Milliseconds of work; waiting for signatures is none. */
  flowRunMaxWorkMs: setting(900_000),
  /** Log lines of one run, children counted for themselves; and characters of what one claim logs. */
  flowRunMaxLogLines: setting(runLimits.logLines),
  flowRunMaxLogCharacters: setting(runLimits.logCharacters),
} satisfies Record<string, NumberSetting>;

/** What nobody needs to change. */
const runnerTuning = Object.freeze({
  /** How often a worker holds its claims and asks for news of them, such as a stop. */
  heartbeatMs: 1_000,
  /** How often progress is stored, if there is any. */
  checkpointMs: 1_000,
  /** Rows, and bytes, of unstored progress that start a checkpoint before its time. */
  checkpointRows: 500,
  checkpointBytes: 2 * 1_048_576,
  /** As many checkpoints' worth of unstored progress make the engine wait. */
  maxUnstoredCheckpoints: 4,
  /** Bytes of a page of a run's history. */
  historyPageBytes: 4 * 1_048_576,
  /** How long a database that does not answer is asked again. */
  retryMs: 120_000,
  /** Parsed snapshots that a worker keeps. */
  cachedSnapshots: 100,
  /** Bytes that each HTTP request may hold without waiting: most answers have no more. */
  httpFreeBytes: 131_072,
  /** How often the status of a transaction is asked for, and the transaction of an action is looked for. */
  confirmPollMs: 500,
  actionPollMs: 1_000,
  /** How often a transaction that is in no block yet is sent again. */
  resendMs: 2_000,
  /** How often a long-lived worker looks for work by itself. */
  pollMs: 500,
});

export type RunnerSettings = typeof runnerTuning & { readonly [name in keyof typeof numberSettings]: number } & {
  readonly slice: SliceLimits;
  /** Every start tells the worker that there is something to do. */
  readonly isPoked: boolean;
  /** Nodes may reach addresses of private networks. */
  readonly allowPrivateNetwork: boolean;
};

const variableName = (setting: string): string => setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/**
 * The settings as the environment gives them. In an Edge Function time is short: the platform ends one after 150 s (free plan), or
 * after 2 s of computing. Throws one error that names every variable that is wrong.
 * Source: Supabase documentation, "Edge Functions limits".
 */
export function readRunnerSettings(env: (name: string) => string | undefined, isEdgeFunction: boolean): RunnerSettings {
  const wrong: string[] = [];
  const numbers = Object.entries(numberSettings).map(([name, { default: fallback, min, max }]) => {
    const text = env(variableName(name));
    if (text === undefined || text === '') return [name, fallback];
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) {
      wrong.push(`${variableName(name)}=${text}: takes an integer from ${min} to ${max}`);
    }
    return [name, value];
  });
  if (wrong.length > 0) throw new Error(`Wrong in the environment: ${wrong.join('; ')}`);
  // SAFETY: made of the entries of numberSettings, number by number.
  const given = Object.fromEntries(numbers) as { [name in keyof typeof numberSettings]: number };
  return Object.freeze({
    ...runnerTuning,
    ...given,
    isPoked: isEdgeFunction,
    slice: isEdgeFunction ? { wallMs: given.runnerSliceMs, busyMs: given.runnerSliceBusyMs } : UNLIMITED,
    allowPrivateNetwork: env('ALLOW_PRIVATE_NETWORK') === '1',
  });
}
