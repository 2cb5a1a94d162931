import { makeAdmission } from '../../../platform/admission.ts';
import { ApiError, isPassing } from '../../../platform/api_error.ts';
import type { Rpc } from '../../../platform/database/rpc.ts';
import { retried } from '../../../platform/database/retried.ts';
import { makeGroupSender } from './group_sender.ts';
import { childBytes, logLineBytes, nodeRunBytes, ROW_BYTES } from './row_size.ts';
import type {
  AskedInput,
  ChildRow,
  LogLine,
  NodeRun,
  RunResult,
  StoredEarlierRuns,
  StoredNodeRun,
} from '../../engine/state/journal.ts';
import type { Effect } from '../../engine/node.ts';
import { measureMap } from '../../engine/limits/value_size.ts';
import type { RunSettings } from '../../solana/run_settings.ts';
import type {
  FinalOutcome,
  NewSignatureRequest,
  StoredSignatureRequest,
  StoredTransaction,
  TransactionRecord,
} from '../../solana/transaction_order.ts';
import type { ValueMap } from '../../../types/values/value.ts';

/** A caller's request that a run stops. */
export interface StopRequest {
  reason: string | null;
  timeout_millies: number | null;
}

/** A worker's right to execute one run until its lease ends. */
export interface Claim {
  flow_run_id: string;
  /** The number of this claim among the run's claims. Writes of an older claim are refused. */
  claim_number: number;
  /** Number of workers that were lost one after another while they executed this run. */
  lost_claim_count: number;
  flow_id: number;
  user_id: string;
  /** The starter: a user's id or a caller's public key. */
  started_by: string | null;
  inputs: { M: ValueMap };
  settings: RunSettings;
  snapshot_hash: string;
  /** JSON text; null if the worker has reported that it already has the snapshot of this hash. */
  snapshot: string | null;
  /** Milliseconds that earlier claims worked on the run. */
  work_ms: number;
  stop: StopRequest | null;
  /** The size as JSON, in bytes, of the node outputs that earlier claims stored. */
  output_bytes: number;
  /**
   * An upper bound of the bytes of node outputs in the earlier runs that this run continues or takes values from. Null
   * if there are no such runs.
   */
  earlier_output_bytes: number | null;
}

/** Progress that earlier claims of a run stored. */
export interface StoredHistory {
  node_runs: StoredNodeRun[];
  /** The earlier runs that this run continues or takes values from. */
  redriven?: StoredEarlierRuns;
  children: ChildRow[];
  /** In the order in which they were first stored. */
  transactions: StoredTransaction[];
  /** Number of node executions of called runs that have ended. */
  ended_executions: number;
  log_counts: { [flowRunId: string]: number };
}

/** The outcome of a stored transaction. */
export interface TransactionOutcome extends Effect {
  outcome: FinalOutcome;
  /** Null if the transaction was not sent. */
  signature: string | null;
}

/** The positions of a begin and an end among all events that a claim reports. */
export interface EventPositions {
  start_position: number;
  /** Null until the end. */
  end_position: number | null;
}

/** The progress of a run that a worker stores. */
export interface Progress {
  children: (ChildRow & EventPositions)[];
  node_runs: (NodeRun & EventPositions)[];
  /** Executions that this run, as a redrive, takes over from earlier runs. */
  taken_over: (Effect & EventPositions & { from_flow_run_id: string; from_times: number })[];
  transactions: TransactionOutcome[];
  inputs: (AskedInput & { position: number })[];
  logs: (LogLine & { log_index: number; position: number })[];
  /** True if the times of node runs and log lines are all different and in the order of the events. */
  is_in_order: boolean;
  work_ms: number;
  /** True if the run was not halted, so that it executed every node that it could. */
  is_complete: boolean;
  /** The size as JSON, in bytes, of the node outputs of this claim and earlier claims. */
  output_bytes: number;
}

export const NO_PROGRESS: Progress = Object.freeze({
  children: [],
  node_runs: [],
  taken_over: [],
  transactions: [],
  inputs: [],
  logs: [],
  is_in_order: true,
  is_complete: false,
  work_ms: 0,
  output_bytes: 0,
});

/** A change of a claim that a worker holds. */
export interface ClaimChange {
  flow_run_id: string;
  /** True if another worker has claimed the run, or the run has ended. */
  is_lost: boolean;
  stop: StopRequest | null;
  /** True if inputs of the run were submitted or cancelled since its worker last read them. */
  has_ended_inputs: boolean;
}

/** The state of an input that a node of a claimed run has requested. */
export interface StoredInput extends Effect {
  /** Null while the input is open. */
  outcome: 'submitted' | 'cancelled' | 'expired' | null;
  /** The submitted tagged value; null if no value was submitted. */
  value: unknown;
  left_ms: number;
}

/** The end of a run. `not_run` is null if the worker does not know which nodes did not run. */
export type FinalResult = Omit<RunResult, 'not_run'> & { not_run: string[] | null };

/** The result of a run, with the claim under which it was computed. */
type ClaimedResult = Pick<Claim, 'flow_run_id' | 'claim_number'> & FinalResult & { progress: Progress };

/** Access to the queue of runs and to their records, through the runner's SQL functions. */
export interface Claims {
  /**
   * Claims queued runs. If no run is queued, waits `waitMs` for the first one. Only one worker at a time waits. With
   * `ownersWithSlots`, claims no run of these owners and at most one run of each other owner.
   */
  claim: (
    maxRuns: number,
    knownSnapshots: string[],
    waitMs: number,
    ownersWithSlots?: string[],
  ) => Promise<Claim[]>;
  /** Reads the progress that earlier claims of the run stored. */
  history: (claim: Claim) => Promise<StoredHistory>;
  /** Stores progress and extends the lease. */
  checkpoint: (claim: Claim, progress: Progress) => Promise<void>;
  /**
   * Stores progress and releases the run. The run can be claimed again after `seconds`, a whole number, 0 by default.
   */
  release: (claim: Claim, progress: Progress, seconds?: number) => Promise<void>;
  /**
   * Stores progress and releases the run until its signatures have arrived. The run can be claimed again when all
   * signature requests are answered, when the first one expires, or when the run is stopped. If no request is open, it
   * can be claimed at once.
   */
  suspend: (claim: Claim, progress: Progress, delaySeconds?: number) => Promise<void>;
  /**
   * Stores a transaction, and makes its signature requests, one for each key. The transaction's run must already be
   * stored. Resolves with all requests of the transaction. Rejects with `internal` if the call would change bytes that
   * may have been sent.
   */
  storeTransaction: (
    claim: Claim,
    transaction: TransactionRecord,
    requests: NewSignatureRequest[],
  ) => Promise<StoredSignatureRequest[]>;
  /**
   * Resolves with the states of the inputs that these executions requested. If the time of an input is over by the
   * database's clock, this call makes the input expire.
   */
  takeInputs: (claim: Claim, executions: Effect[]) => Promise<StoredInput[]>;
  /**
   * Extends the leases. Resolves with the changed claims. A claim has changed if it is lost, its run must stop, or its
   * inputs were answered.
   */
  heartbeat: (claims: Claim[]) => Promise<ClaimChange[]>;
  /**
   * Stores the last progress and ends the run, in one transaction with other runs that end at the same time. If
   * `not_run` is null, the database computes which nodes did not run.
   */
  finish: (claim: Claim, progress: Progress, result: FinalResult) => Promise<void>;
}

/** One transaction stores at most this many results, with about this many bytes of JSON together. */
const RESULT_GROUP = Object.freeze({ maxItems: 32, maxSize: 65_536 });

/**
 * Larger results and progress are stored one by one, so that small results never wait for them, and the worker holds
 * the text of few. Owners take turns: at most two writes at a time, and one of each owner. The claims of a worker bound
 * the number of waiting writes.
 */
const LARGE_WRITES = Object.freeze({
  slots: 2,
  aloneSlots: 2,
  sharedSlots: 1,
  recentMs: 1_000,
  maxWaiting: Infinity,
  maxAllWaiting: Infinity,
  now: () => performance.now(),
});

/** Bytes of an id in a list. */
const ID_BYTES = 39;

const sum = <Row>(rows: readonly Row[], bytesOf: (row: Row) => number): number =>
  rows.reduce((bytes, row) => bytes + bytesOf(row), 0);

const progressBytes = ({ node_runs, children, logs, transactions }: Progress): number =>
  sum(node_runs, nodeRunBytes) + sum(children, childBytes) + sum(logs, logLineBytes) + ROW_BYTES * transactions.length;

/** Returns the approximate bytes of JSON of a result. */
export const resultBytes = ({ output, errors, not_run, progress }: FinalResult & { progress: Progress }): number =>
  ROW_BYTES + measureMap(output.M) + sum(errors ?? [], (error) => error.length) + ID_BYTES * (not_run?.length ?? 0) +
  progressBytes(progress);

interface ClaimsOptions {
  runnerLeaseSeconds: number;
  runnerMaxLostClaims: number;
  retryMs: number;
  historyPageBytes: number;
}

/** The answer of a claim that found no runs. */
interface DueWebhooks {
  flow_run_id: null;
  has_due_webhook: true;
}

/** A page of the node executions that earlier claims of a run stored. */
interface HistoryPage extends Pick<StoredHistory, 'node_runs'> {
  /** Key of the next page's first row; null on the last page. */
  next: object | null;
}

/** Makes the claims of a worker. `onDueWebhook` is called when a claim that finds no runs reports due webhooks. */
export function makeClaims(rpc: Rpc, options: ClaimsOptions, onDueWebhook: () => void = () => {}): Claims {
  const held = ({ flow_run_id, claim_number }: Claim) => ({ flow_run_id, claim_number });
  const lease = { lease_seconds: options.runnerLeaseSeconds };
  const persist = <Result>(name: string, args: object) => retried(options.retryMs, () => rpc<Result>(name, args));

  const finishOne = (result: ClaimedResult, retryMs = options.retryMs) =>
    retried(retryMs, () => rpc<void>('finish_flow_run', result));
  const finishInGroup = makeGroupSender<ClaimedResult>({
    ...RESULT_GROUP,
    sizeOf: resultBytes,
    send: async (results) => {
      const finished = await persist<string[]>('finish_flow_runs', { results }).catch((error: unknown) => {
        // If one result can't be stored, the whole transaction fails. After such a failure, each result is stored in a
        // transaction of its own.
        if (error instanceof ApiError && !isPassing(error)) return [];
        throw error;
      });
      const isFinished = new Set(finished);
      return results.map((result) => isFinished.has(result.flow_run_id) ? Promise.resolve() : finishOne(result));
    },
  });

  const largeWrites = makeAdmission(LARGE_WRITES);
  const isLarge = (bytes: number): boolean => bytes > RESULT_GROUP.maxSize;
  /** Stores something large of a run in the turn of the run's owner. */
  const storeInTurn = (ownerId: string, store: (retryMs: number) => Promise<void>): Promise<void> => {
    const began = performance.now();
    // The wait counts as time of retries. Otherwise the waiting writes would repeat their calls one after another while
    // the database does not answer.
    return largeWrites.admit(ownerId, () => store(options.retryMs - (performance.now() - began)));
  };
  const storeProgress = (name: string, claim: Claim, progress: Progress, args: object): Promise<void> => {
    const store = (retryMs = options.retryMs) =>
      retried(retryMs, () => rpc<void>(name, { ...held(claim), ...args, progress }));
    return isLarge(progressBytes(progress)) ? storeInTurn(claim.user_id, store) : store();
  };
  const finish = (ownerId: string, result: ClaimedResult): Promise<void> =>
    isLarge(resultBytes(result))
      ? storeInTurn(ownerId, (retryMs) => finishOne(result, retryMs))
      : finishInGroup(result);

  /** Reads the history in pages, so that neither the database nor PostgREST builds one text of the whole history. */
  const readHistory = async (flow_run_id: string): Promise<StoredHistory> => {
    const max_bytes = options.historyPageBytes;
    const history = await persist<StoredHistory & HistoryPage>('flow_run_history', { flow_run_id, max_bytes });
    for (let after = history.next; after !== null;) {
      const page = await persist<HistoryPage>('flow_run_history_page', { flow_run_id, after, max_bytes });
      for (const row of page.node_runs) history.node_runs.push(row);
      after = page.next;
    }
    return history;
  };

  /** Reads the earlier runs that a run continues or takes values from, in pages. */
  const readEarlierRuns = async (flow_run_id: string): Promise<StoredEarlierRuns> => {
    const earlier: StoredEarlierRuns = { roots: [], children: [], node_runs: [], changes: null, repeat_effects: null };
    for (let after: object | null | undefined; after !== null;) {
      const page: StoredEarlierRuns & HistoryPage = await persist('earlier_flow_runs', {
        flow_run_id,
        after,
        max_bytes: options.historyPageBytes,
      });
      earlier.roots.push(...page.roots);
      earlier.changes ??= page.changes ?? null;
      earlier.repeat_effects ??= page.repeat_effects ?? null;
      for (const row of page.children) earlier.children.push(row);
      for (const row of page.node_runs) earlier.node_runs.push(row);
      after = page.next;
    }
    return earlier;
  };

  return {
    claim: async (maxRuns, knownSnapshots, waitMs, ownersWithSlots) => {
      const claimed = await rpc<(Claim | DueWebhooks)[]>('claim_flow_runs', {
        max_runs: maxRuns,
        known_snapshots: knownSnapshots,
        max_lost_claims: options.runnerMaxLostClaims,
        wait_ms: waitMs,
        ...(ownersWithSlots && { owners_with_slots: ownersWithSlots }),
        ...lease,
      });
      const runs = claimed.filter((row) => row.flow_run_id !== null);
      if (runs.length < claimed.length) onDueWebhook();
      return runs;
    },
    history: async ({ claim_number, flow_run_id, earlier_output_bytes }) => {
      const history = claim_number > 1
        ? await readHistory(flow_run_id)
        : { node_runs: [], children: [], transactions: [], ended_executions: 0, log_counts: {} };
      return earlier_output_bytes === null ? history : { ...history, redriven: await readEarlierRuns(flow_run_id) };
    },
    checkpoint: (claim, progress) => storeProgress('checkpoint_flow_run', claim, progress, lease),
    release: (claim, progress, seconds = 0) =>
      storeProgress('release_flow_run', claim, progress, { delay_seconds: seconds }),
    suspend: (claim, progress, delaySeconds) =>
      storeProgress('suspend_flow_run', claim, progress, { delay_seconds: delaySeconds ?? null }),
    storeTransaction: (claim, transaction, requests) =>
      persist('store_transaction', { ...held(claim), transaction, requests }),
    takeInputs: (claim, executions) => persist('take_api_inputs', { ...held(claim), executions }),
    heartbeat: (claims) => rpc('heartbeat_flow_runs', { claims: claims.map(held), ...lease }),
    finish: (claim, progress, result) => finish(claim.user_id, { ...held(claim), progress, ...result }),
  };
}
