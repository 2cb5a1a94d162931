import { runLimits } from './engine/limits.ts';
import { type SliceLimits, UNLIMITED } from './engine/slice.ts';

/** How the runner works; each is overridden by the environment variable of its name in upper case. */
const runnerDefaults = Object.freeze({
  /** How long a claim holds without a sign of life; then another worker may take the run over. */
  runnerLeaseSeconds: 30,
  /** Runs that one worker executes at a time. */
  runnerConcurrency: 16,
  /** Workers that a run may lose in a row before it fails. */
  runnerMaxLostClaims: 5,
  /** The time that an Edge Function works before its runs go back to the queue, and how much of it may be computing. */
  runnerSliceMs: 100_000,
  runnerSliceBusyMs: 1_000,
  /** How long a node's HTTP request may take. */
  httpTimeoutMs: 30_000,
  /** Bytes that the answer to a node's HTTP request may have. */
  httpMaxResponseBytes: 10 * 1_048_576,
  flowRunMaxNodeExecutions: runLimits.nodeExecutions,
  flowRunMaxInterflowDepth: runLimits.interflowDepth,
  flowRunMaxWorkMs: runLimits.workMs,
  flowRunMaxOutputBytes: runLimits.outputBytes,
  flowRunMaxLogLines: runLimits.logLines,
});

/** What nobody needs to change. */
export const runnerTuning = Object.freeze({
  /** How often a worker holds its claims and asks for news of them, such as a stop. */
  heartbeatMs: 1_000,
  /** How often progress is stored, if there is any. */
  checkpointMs: 1_000,
  /** Rows, and bytes, of unstored progress that start a checkpoint before its time. */
  checkpointRows: 500,
  checkpointBytes: 2 * 1_048_576,
  /** As many checkpoints' worth of unstored progress make the engine wait. */
  maxUnstoredCheckpoints: 4,
  /** How long a database that does not answer is asked again. */
  retryMs: 120_000,
  /** Parsed snapshots that a worker keeps. */
  cachedSnapshots: 100,
  /** How often a long-lived worker looks for work by itself. */
  pollMs: 500,
});

export type RunnerSettings = typeof runnerTuning & { readonly [name in keyof typeof runnerDefaults]: number } & {
  readonly slice: SliceLimits;
  /** Nodes may reach addresses of private networks. */
  readonly allowPrivateNetwork: boolean;
};

const variableName = (setting: string): string => setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/**
 * The settings as the environment gives them. In an Edge Function time is short: the platform ends one after 150 s (free plan), or
 * after 2 s of computing. Throws one error that names every variable that is no positive integer.
 * Source: Supabase documentation, "Edge Functions limits".
 */
export function readRunnerSettings(env: (name: string) => string | undefined, isEdgeFunction: boolean): RunnerSettings {
  const wrong: string[] = [];
  const numbers = Object.entries(runnerDefaults).map(([name, fallback]) => {
    const text = env(variableName(name));
    if (text === undefined || text === '') return [name, fallback];
    if (!/^[1-9]\d{0,9}$/.test(text)) wrong.push(`${variableName(name)}=${text}`);
    return [name, Number(text)];
  });
  if (wrong.length > 0) throw new Error(`Not a positive integer in the environment: ${wrong.join(', ')}`);
  // SAFETY: made of the entries of runnerDefaults, number by number.
  const given = Object.fromEntries(numbers) as { [name in keyof typeof runnerDefaults]: number };
  return Object.freeze({
    ...runnerTuning,
    ...given,
    slice: isEdgeFunction ? { wallMs: given.runnerSliceMs, busyMs: given.runnerSliceBusyMs } : UNLIMITED,
    allowPrivateNetwork: env('ALLOW_PRIVATE_NETWORK') === '1',
  });
}
