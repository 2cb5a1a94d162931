import { ApiError, isErrorOf } from '../../_shared/api_error.ts';
import type { Rpc } from '../../_shared/database.ts';
import { pause } from '../../_shared/pause.ts';
import { makeGrouped } from './group_sender.ts';
import type { ChildRow, LogLine, NodeRun, RunResult, StoredNodeRun } from '../engine/journal.ts';
import type { Effect } from '../engine/node.ts';
import type { RunSettings } from '../solana/run_settings.ts';
import type {
  NewSignatureRequest,
  StoredSignatureRequest,
  StoredTransaction,
  TransactionRecord,
} from '../solana/transaction.ts';
import type { ValueMap } from '../../../types/values/value.ts';

/** How a run shall stop. */
export interface StopRequest {
  reason: string | null;
  timeout_millies: number | null;
}

/** A run that this worker may execute until its lease is over. */
export interface Claim {
  flow_run_id: string;
  /** Which claim of the run this is; what an older one writes is refused. */
  attempt: number;
  /** Workers lost in a row with this run. */
  lost_claim_count: number;
  flow_id: number;
  user_id: string;
  /** A user, or the public key that a caller showed. */
  started_by: string | null;
  inputs: { M: ValueMap };
  settings: RunSettings;
  snapshot_hash: string;
  /** JSON text; null when the worker said that it knows the hash. */
  snapshot: string | null;
  /** Milliseconds that earlier claims worked on it. */
  work_ms: number;
  stop: StopRequest | null;
  /** Bytes of node outputs that earlier claims stored, as JSON. */
  output_bytes: number;
}

/** What earlier claims of a run stored. */
export interface StoredHistory {
  node_runs: StoredNodeRun[];
  children: ChildRow[];
  /** In the order in which they were first stored. */
  transactions: StoredTransaction[];
  /** Node executions of the children that have ended. */
  ended_executions: number;
  log_counts: { [flowRunId: string]: number };
}

/** What became of a transaction that is stored. */
export interface TransactionOutcome extends Effect {
  outcome: 'confirmed' | 'failed';
  /** Null when it was not sent. */
  signature: string | null;
}

/** What a worker stores of a run's progress. */
export interface Progress {
  children: ChildRow[];
  node_runs: NodeRun[];
  transactions: TransactionOutcome[];
  logs: (LogLine & { log_index: number })[];
  work_ms: number;
  /** Bytes of node outputs that this and earlier claims came to, as JSON. */
  output_bytes: number;
}

/** No progress at all. */
export const NOTHING: Progress = Object.freeze({
  children: [],
  node_runs: [],
  transactions: [],
  logs: [],
  work_ms: 0,
  output_bytes: 0,
});

/** News of a held claim. */
export interface ClaimNews {
  flow_run_id: string;
  /** Somebody else has the run, or it has ended. */
  is_lost: boolean;
  stop: StopRequest | null;
}

/** How a run ended, as far as its worker can tell. */
export type FinalResult = Omit<RunResult, 'not_run'> & { not_run: string[] | null };

/** The result of a run, by the worker that claimed it. */
type ClaimedResult = Pick<Claim, 'flow_run_id' | 'attempt'> & FinalResult & { progress: Progress };

/** The queue of runs and their records, through the runner's SQL functions. */
export interface Claims {
  /**
   * Where there is none, one worker at a time waits for the first run to come, as long as it says. With owners who are passed over,
   * one run of each other owner at the most.
   */
  claim: (maxRuns: number, knownSnapshots: string[], waitMillies: number, passedOver?: string[]) => Promise<Claim[]>;
  /** Reads what earlier claims of the run stored. */
  history: (claim: Claim) => Promise<StoredHistory>;
  /** Stores progress and holds the claim for another lease. */
  checkpoint: (claim: Claim, progress: Progress) => Promise<void>;
  /** Stores progress and gives the run back to the queue, to be claimed after so many whole seconds; at once unless given. */
  handBack: (claim: Claim, progress: Progress, seconds?: number) => Promise<void>;
  /**
   * Stores progress and gives the run back to the queue, waiting for signatures: to be claimed when all are there, when the first
   * request expires, when the run shall stop, or at once where no request is open.
   */
  suspend: (claim: Claim, progress: Progress) => Promise<void>;
  /**
   * Stores a transaction, whose run is stored already, makes its signature requests, once for each key, and gives all that it has.
   * Rejects with `internal` when what may have been sent would change.
   */
  storeTransaction: (
    claim: Claim,
    transaction: TransactionRecord,
    requests: NewSignatureRequest[],
  ) => Promise<StoredSignatureRequest[]>;
  /** Holds the claims for another lease; tells which are lost or shall stop. */
  heartbeat: (claims: Claim[]) => Promise<ClaimNews[]>;
  /** Stores the rest and ends the run, with what else ends meanwhile; the database tells which nodes did not run where `not_run` is null. */
  finish: (claim: Claim, progress: Progress, result: FinalResult) => Promise<void>;
}

/** Results of runs that are stored in one transaction, at the most; and their characters of JSON. */
const RESULT_GROUP = Object.freeze({ maxItems: 32, maxSize: 1_048_576 });

const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 2_000;

/** Asks again while the database does not answer; what it stores is stored once, however often it is asked. */
async function retried<Result>(retryMs: number, call: () => Promise<Result>): Promise<Result> {
  const deadline = Date.now() + retryMs;
  for (let delay = FIRST_RETRY_MS;; delay = Math.min(delay * 2, LONGEST_RETRY_MS)) {
    try {
      return await call();
    } catch (error) {
      if (!isErrorOf(error, 'service_unavailable') || Date.now() + delay > deadline) throw error;
      await pause(delay);
    }
  }
}

export interface ClaimsOptions {
  runnerLeaseSeconds: number;
  runnerMaxLostClaims: number;
  retryMs: number;
  historyPageBytes: number;
}

/** A page of what earlier claims stored of a run's node executions. */
interface HistoryPage extends Pick<StoredHistory, 'node_runs'> {
  /** Where the next page begins; null on the last one. */
  next: object | null;
}

export function makeClaims(rpc: Rpc, options: ClaimsOptions): Claims {
  const held = ({ flow_run_id, attempt }: Claim) => ({ flow_run_id, attempt });
  const lease = { lease_seconds: options.runnerLeaseSeconds };
  const persist = <Result>(name: string, args: object) => retried(options.retryMs, () => rpc<Result>(name, args));

  const finishOne = (result: ClaimedResult) => persist<void>('finish_flow_run', result);
  const finish = makeGrouped<ClaimedResult>({
    ...RESULT_GROUP,
    sizeOf: (result) => JSON.stringify(result).length,
    send: async (results) => {
      const finished = await persist<string[]>('finish_flow_runs', { results }).catch((error: unknown) => {
        // One that can't be stored keeps the others back; alone, each has its own answer.
        if (error instanceof ApiError && !isErrorOf(error, 'service_unavailable')) return [];
        throw error;
      });
      const isFinished = new Set(finished);
      return results.map((result) => isFinished.has(result.flow_run_id) ? Promise.resolve() : finishOne(result));
    },
  });

  /** Reads the history in pages, so that nobody on the way has to hold all of it as one text. */
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

  return {
    claim: (maxRuns, knownSnapshots, waitMillies, passedOver) =>
      rpc('claim_flow_runs', {
        max_runs: maxRuns,
        known_snapshots: knownSnapshots,
        max_lost_claims: options.runnerMaxLostClaims,
        wait_millies: waitMillies,
        ...(passedOver && { passed_over: passedOver }),
        ...lease,
      }),
    history: ({ attempt, flow_run_id }) =>
      attempt > 1
        ? readHistory(flow_run_id)
        : Promise.resolve({ node_runs: [], children: [], transactions: [], ended_executions: 0, log_counts: {} }),
    checkpoint: (claim, progress) => persist('checkpoint_flow_run', { ...held(claim), ...lease, progress }),
    handBack: (claim, progress, seconds = 0) =>
      persist('checkpoint_flow_run', { ...held(claim), ...lease, progress, hand_back_seconds: seconds }),
    suspend: (claim, progress) => persist('suspend_flow_run', { ...held(claim), progress }),
    storeTransaction: (claim, transaction, requests) =>
      persist('store_transaction', { ...held(claim), transaction, requests }),
    heartbeat: (claims) => rpc('heartbeat_flow_runs', { claims: claims.map(held), ...lease }),
    finish: (claim, progress, result) => finish({ ...held(claim), progress, ...result }),
  };
}
