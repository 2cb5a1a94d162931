import { MAX_TIMER_MS } from '../platform/pause.ts';
import { runLimits } from './engine/limits/run_limits.ts';
import { type SliceLimits, UNLIMITED } from './engine/state/slice.ts';
import { isShareable } from './storage/file_place.ts';

/** A setting that is a number, and its text in docs/reference/environment.md. */
interface NumberSetting {
  /** A sentence or phrase that follows the name of the setting in the page. */
  meaning: string;
  unit: string;
  default: number;
  min: number;
  max: number;
}

const setting = (meaning: string, unit: string, value: number, min = 1, max = MAX_TIMER_MS): NumberSetting => ({
  meaning,
  unit,
  default: value,
  min,
  max,
});

/** The environment overrides each setting. For example, RUNNER_LEASE_SECONDS overrides `runnerLeaseSeconds`. */
const numberSettings = {
  runnerLeaseSeconds: setting(
    'How long a claim holds without a heartbeat. Then another worker may claim the run. A worker sends several heartbeats in this time.',
    'seconds',
    30,
    2,
    3_600,
  ),
  runnerConcurrency: setting('Slots of a worker: the number of runs that it executes at a time.', 'runs', 16, 1, 1_000),
  runnerRestingRuns: setting(
    'Runs that a worker holds beside the runs in its slots. These runs only wait, for example for a time, a confirmation or the sender of an action.',
    'runs',
    256,
    0,
    10_000,
  ),
  runnerReservedSlots: setting(
    'Reserved slots of a worker. While other owners hold all its slots, the worker executes up to this many more runs: one for each owner who holds no slot.',
    'runs',
    16,
    0,
    1_000,
  ),
  // A sleeping run is claimed up to 2 s early and waits for the rest. The setting is at least 2 s, so that this rest is
  // shorter than the setting and the run does not sleep again.
  runnerLongWaitMs: setting(
    'If a run only waits, and waits longer than this, it sleeps: its worker releases the run, and a worker claims it again when the wait is over.',
    'ms',
    10_000,
    2_000,
  ),
  runnerMaxHeldBytes: setting(
    'Node outputs that all runs of one worker together hold in memory. A single run may always hold as much as the limits of a run allow.',
    'bytes',
    16_777_216,
  ),
  runnerMaxLostClaims: setting('Workers that a run may lose in a row before it fails.', 'workers', 5),
  runnerSliceMs: setting(
    'The slice of an Edge Function: after this time it releases its runs. A long-lived worker releases a run after the same time when others wait and no slot is free.',
    'ms',
    100_000,
  ),
  runnerSliceBusyMs: setting('How long an Edge Function may compute during its slice.', 'ms', 1_000),
  httpTimeoutMs: setting("How long a node's HTTP request may take.", 'ms', 30_000),
  httpMaxResponseBytes: setting(
    "The largest body of a node's HTTP request, and of the response to it.",
    'bytes',
    10 * 1_048_576,
  ),
  flowRunMaxHttpRequests: setting(
    'HTTP requests that one run makes at a time; further requests wait.',
    'requests',
    16,
    1,
    1_000,
  ),
  flowRunMaxHttpBytes: setting(
    'Bytes of HTTP requests and responses that one run holds at a time; a request that needs more waits.',
    'bytes',
    24 * 1_048_576,
  ),
  runnerMaxHttpBytes: setting(
    'Bytes of HTTP requests and responses that one worker holds at a time. One owner may have half of them.',
    'bytes',
    48 * 1_048_576,
  ),
  runnerMaxWebhooks: setting(
    'Outgoing webhooks that a worker posts at a time, beside its runs. All workers together post at most four webhooks of one owner at a time.',
    'webhooks',
    64,
    1,
    1_000,
  ),
  webhookTimeoutMs: setting(
    'How long the receiver of an outgoing webhook may take to answer.',
    'ms',
    15_000,
    1,
    60_000,
  ),
  flowRunMaxNodeExecutions: setting(
    'Node executions of one run, including all iterations of loops. The run fails with `node_executions_limit`.',
    'executions',
    runLimits.nodeExecutions,
  ),
  flowRunMaxInterflowDepth: setting('How deeply flows may call other flows.', 'levels', runLimits.interflowDepth),
  flowRunMaxOpenNodes: setting(
    'Nodes of all flows of one run that are executed at the same time. The nodes of a flow count once for each call of the flow. The call that exceeds the limit fails with `open_nodes_limit`.',
    'nodes',
    runLimits.openNodes,
  ),
  flowRunMaxOutputBytes: setting(
    'Outputs of one node execution, as JSON. The node fails with `output_too_large`.',
    'bytes',
    runLimits.outputBytes,
  ),
  flowRunMaxAllOutputBytes: setting(
    'Outputs of all node executions of one run, as JSON, plus 32 bytes for each value. The node that exceeds the limit fails with `run_outputs_limit`.',
    'bytes',
    runLimits.allOutputBytes,
  ),
  flowRunMaxTotalBytes: setting(
    'Inputs and outputs of all node executions of one run, as JSON. The run fails with `run_size_limit`.',
    'bytes',
    runLimits.totalBytes,
  ),
  signatureTimeoutMs: setting('How long a signer has to answer a request for a signature.', 'ms', 180_000),
  actionTimeoutMs: setting('How long the signer of an action has to send its transaction.', 'ms', 180_000),
  flowRunMaxWorkMs: setting(
    'How long workers may work on one run. Sleeping, and waiting for a signature, for an input or for the sender of an action, do not count. The run fails with `run_time_limit`.',
    'ms',
    900_000,
  ),
  flowRunMaxLogLines: setting(
    'Log lines of one run. Each called run may write as many lines. If lines are left out, the last line says `log_lines_limit`.',
    'lines',
    runLimits.logLines,
  ),
  flowRunMaxLogCharacters: setting(
    'Characters of the log lines that one claim writes.',
    'characters',
    runLimits.logCharacters,
  ),
} satisfies Record<string, NumberSetting>;

/** Settings that the environment does not change. */
const runnerTuning = Object.freeze({
  /** The interval at which a worker extends its leases and learns of changes to its claims, such as a stop. */
  heartbeatMs: 1_000 as number,
  /** The interval at which new progress is stored. */
  checkpointMs: 1_000 as number,
  /** When the unstored progress has this many rows or bytes, a checkpoint starts early. */
  checkpointRows: 500,
  checkpointBytes: 2 * 1_048_576,
  /** The engine waits when the unstored progress would fill this many checkpoints. */
  maxUnstoredCheckpoints: 4,
  /** Bytes of a page of a run's history. */
  historyPageBytes: 4 * 1_048_576,
  /** The time for which a call is repeated while the database does not answer. */
  retryMs: 120_000,
  /** Parsed snapshots that a worker keeps. */
  cachedSnapshots: 100,
  /** The most characters of all kept snapshots together. A single snapshot may reach this limit. */
  cachedSnapshotCharacters: 16 * 1_048_576,
  /** Bytes that each HTTP request may hold without waiting. Most responses are smaller. */
  httpFreeBytes: 131_072,
  /** The interval at which the runner asks for the status of a transaction. */
  confirmPollMs: 500,
  /** The interval at which the runner looks for the transaction of an action. */
  actionPollMs: 1_000,
  /** The interval at which a transaction that is in no block yet is sent again. */
  resendMs: 2_000,
  /** The interval at which a long-lived worker looks at the queue while no watch notifies it of runs. */
  pollMs: 500 as number,
  /**
   * The interval at which a long-lived worker looks at the queue while a watch notifies it of runs. The watch reports
   * neither runs with an expired lease nor runs that other workers have put to sleep, so these looks find them.
   */
  watchedPollMs: 5_000 as number,
  /** The interval at which a worker looks for outgoing webhooks that are due. */
  webhookPollMs: 1_000 as number,
  /** The most bytes that are read of the answer to an outgoing webhook. */
  webhookAnswerBytes: 4_096,
  /** If the call that stores the result of a webhook fails, the worker repeats it for this time. */
  webhookRetryMs: 30_000 as number,
  /** The lease of a webhook is the sum of its timeout, `webhookRetryMs` and this time. */
  webhookLeaseMarginMs: 15_000,
  /** The time for which an idle long-lived worker waits for a run in each look at the queue. */
  idleWaitMs: 0 as number,
});

export type RunnerSettings = typeof runnerTuning & { readonly [name in keyof typeof numberSettings]: number } & {
  readonly slice: SliceLimits;
  /**
   * True if each start of a run wakes the worker by a poke, which is a request to the worker. The worker then does not
   * look at the queue at intervals.
   */
  readonly wakesByPokes: boolean;
  /** True if nodes may reach addresses of private networks. */
  readonly allowPrivateNetwork: boolean;
  /** The buckets of Storage that the flows of all users may read and write. */
  readonly sharedBuckets: ReadonlySet<string>;
};

const variableName = (setting: string): string => setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** The environment variables of the settings above, for docs/reference/environment.md. */
export const settingVariables: readonly (NumberSetting & { variable: string })[] = Object.entries(numberSettings).map(
  ([name, numberSetting]) => ({ variable: variableName(name), ...numberSetting }),
);

/** Describes the fault in the text of a setting; undefined if the text is valid. */
export function settingFault(name: keyof typeof numberSettings, text: string): string | undefined {
  const { min, max } = numberSettings[name];
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? undefined : `must be an integer from ${min} to ${max}`;
}

/** Reads names that are divided by commas. */
const readNames = (text = ''): ReadonlySet<string> =>
  new Set(text.split(',').map((name) => name.trim()).filter((name) => name !== ''));

/**
 * Reads the settings from the environment. An Edge Function has slices, because the platform ends it after 150 s (free
 * plan) or after 2 s of computing. Throws one error that names every invalid variable. Source: Supabase documentation,
 * "Edge Functions limits".
 */
export function readRunnerSettings(env: (name: string) => string | undefined, isEdgeFunction: boolean): RunnerSettings {
  const wrong: string[] = [];
  const numbers = Object.entries(numberSettings).map(([name, { default: fallback }]) => {
    const text = env(variableName(name));
    if (text === undefined || text === '') return [name, fallback];
    const fault = settingFault(name as keyof typeof numberSettings, text);
    if (fault !== undefined) wrong.push(`${variableName(name)}=${text}: ${fault}`);
    return [name, Number(text)];
  });
  const sharedBuckets = readNames(env('STORAGE_SHARED_BUCKETS'));
  for (const name of sharedBuckets) {
    if (!isShareable(name)) wrong.push(`STORAGE_SHARED_BUCKETS=${name}: users can't share a bucket of this name`);
  }
  if (wrong.length > 0) throw new Error(`Wrong in the environment: ${wrong.join('; ')}`);
  // SAFETY: `numbers` has one number for each entry of numberSettings.
  const given = Object.fromEntries(numbers) as { [name in keyof typeof numberSettings]: number };
  return Object.freeze({
    ...runnerTuning,
    ...given,
    wakesByPokes: isEdgeFunction,
    slice: isEdgeFunction ? { wallMs: given.runnerSliceMs, busyMs: given.runnerSliceBusyMs } : UNLIMITED,
    allowPrivateNetwork: env('ALLOW_PRIVATE_NETWORK') === '1',
    sharedBuckets,
  });
}
