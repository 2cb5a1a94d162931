import type { Claim, Claims, Progress, StoredHistory, TransactionOutcome } from './claims.ts';
import { type ChildRow, executionKey, type Journal, type NodeRun } from '../engine/journal.ts';
import type { Effect } from '../engine/node.ts';
import { measureMap } from '../engine/value_size.ts';
import type { RunnerSettings } from '../settings.ts';

/** A journal that stores what a claimed run comes to, in batches. */
export interface ClaimJournal extends Journal {
  /** A stored transaction has ended; `signature` is null when it was not sent. */
  transactionEnded: (
    transaction: Effect,
    outcome: TransactionOutcome['outcome'],
    signature: TransactionOutcome['signature'],
  ) => void;
  /** Whether anything is stored of what this claim has ended. */
  hasStored: () => boolean;
  /** What is not stored yet; the caller stores it. Resolves after the batches under way; rejects when one of them failed. */
  takeRest: () => Promise<Progress>;
  /** Ends the regular checkpoints. */
  close: () => void;
}

/** Bytes of a row besides its values. */
const ROW_BYTES = 200;

const nodeRunBytes = ({ input, output }: NodeRun): number =>
  ROW_BYTES + measureMap(input.M) + (output === null ? 0 : measureMap(output.M));

export function makeClaimJournal(
  claims: Claims,
  claim: Claim,
  history: StoredHistory,
  settings: RunnerSettings,
  now: () => number,
  /** Milliseconds that this claim and the ones before worked on the run. */
  workMs: () => number,
  /** Bytes of node outputs that they have come to. */
  outputBytes: () => number,
  /** Told when something can't be stored: nothing will be any more. */
  onFailure: (error: unknown) => void = () => {},
): ClaimJournal {
  const logCounts = new Map(Object.entries(history.log_counts));
  let children = new Map<string, ChildRow>();
  let begun = new Map<string, NodeRun>();
  let ended: NodeRun[] = [];
  let transactions: TransactionOutcome[] = [];
  let logs: Progress['logs'] = [];
  const lastLine =
    `log_lines_limit: a run keeps ${settings.flowRunMaxLogLines} lines, of ${settings.flowRunMaxLogCharacters} ` +
    'characters in all; the others are left out';
  let bytes = 0;
  let logCharacters = 0;
  let hasStored = false;
  let last: Promise<void> = Promise.resolve();
  let queued: Promise<void> | undefined;

  const rows = () => children.size + begun.size + ended.length + transactions.length + logs.length;
  const holds = (batches: number) =>
    rows() >= settings.checkpointRows * batches || bytes >= settings.checkpointBytes * batches;

  const take = (): Progress => {
    const progress: Progress = {
      children: [...children.values()],
      node_runs: [...ended, ...begun.values()],
      transactions,
      logs,
      work_ms: workMs(),
      output_bytes: outputBytes(),
    };
    children = new Map();
    begun = new Map();
    ended = [];
    transactions = [];
    logs = [];
    bytes = 0;
    return progress;
  };

  // One batch after another, since the rows build on each other; what comes meanwhile goes into the next.
  const flush = (): Promise<void> => {
    if (queued !== undefined) return queued;
    if (rows() === 0) return last;
    queued = last.then(async () => {
      queued = undefined;
      const progress = take();
      await claims.checkpoint(claim, progress);
      hasStored ||= progress.node_runs.some((run) => run.end_time !== null);
    });
    last = queued;
    // So nobody has to wait for it to be told.
    last.catch(onFailure);
    return last;
  };
  const flushIfMuch = () => {
    if (holds(1)) void flush();
  };
  const timer = setInterval(() => void flush(), settings.checkpointMs);

  /** Children that have not ended. */
  const open = new Map(history.children.filter((row) => row.end_time === null).map((row) => [row.id, row]));

  return {
    runBegan: (run) => {
      const row: ChildRow = {
        ...run,
        status: 'running',
        start_time: new Date(now()).toISOString(),
        end_time: null,
        output: null,
        errors: null,
        not_run: null,
      };
      open.set(run.id, row);
      children.set(run.id, row);
      bytes += ROW_BYTES + measureMap(run.inputs.M);
    },
    runEnded: (id, result) => {
      const row = open.get(id);
      if (row === undefined) return;
      open.delete(id);
      children.set(id, { ...row, ...result, end_time: new Date(now()).toISOString() });
      bytes += ROW_BYTES + measureMap(result.output.M);
      flushIfMuch();
    },
    nodeBegan: (run) => {
      begun.set(executionKey(run), run);
      bytes += nodeRunBytes(run);
    },
    nodeEnded: (run) => {
      begun.delete(executionKey(run));
      ended.push(run);
      bytes += nodeRunBytes(run);
      flushIfMuch();
    },
    transactionEnded: ({ flow_run_id, node_id, times }, outcome, signature) => {
      transactions.push({ flow_run_id, node_id, times, outcome, signature });
      bytes += ROW_BYTES;
      flushIfMuch();
    },
    logged: (line) => {
      const index = logCounts.get(line.flow_run_id) ?? 0;
      if (index >= settings.flowRunMaxLogLines) return;
      logCharacters += line.content.length;
      const isLast = index === settings.flowRunMaxLogLines - 1 || logCharacters > settings.flowRunMaxLogCharacters;
      logCounts.set(line.flow_run_id, isLast ? settings.flowRunMaxLogLines : index + 1);
      logs.push(
        isLast ? { ...line, log_index: index, log_level: 'Warn', content: lastLine } : { ...line, log_index: index },
      );
      bytes += ROW_BYTES + line.content.length;
      flushIfMuch();
    },
    hasStored: () => hasStored,
    flush,
    isFull: () => holds(settings.maxUnstoredCheckpoints),
    takeRest: async () => {
      await last;
      return take();
    },
    close: () => clearInterval(timer),
  };
}
