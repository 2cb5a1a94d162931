import type { Claim, Claims, EventPositions, Progress, StoredHistory, TransactionOutcome } from './claims.ts';
import { type ChildRow, executionKey, type Journal, type NodeRun } from '../../engine/state/journal.ts';
import type { Effect } from '../../engine/node.ts';
import { measureMap } from '../../engine/limits/value_size.ts';
import { makeTimesInOrder } from './times_in_order.ts';
import type { RunnerSettings } from '../../settings.ts';
import { logLineBytes, nodeRunBytes, ROW_BYTES } from './row_size.ts';

/** A journal that stores the progress of a claimed run in batches. */
export interface ClaimJournal extends Journal {
  /** Records that a stored transaction has ended. `signature` is null if the transaction was not sent. */
  transactionEnded: (
    transaction: Effect,
    outcome: TransactionOutcome['outcome'],
    signature: TransactionOutcome['signature'],
  ) => void;
  /** True if a node execution that ended in this claim is stored. */
  hasStored: () => boolean;
  /**
   * Returns the progress that is not stored yet, for the caller to store. Resolves after the running batches, and
   * rejects if one failed.
   */
  takeRest: () => Promise<Progress>;
  /** Ends the regular checkpoints. */
  close: () => void;
}

interface ClaimJournalOptions {
  claims: Pick<Claims, 'checkpoint'>;
  claim: Claim;
  history: StoredHistory;
  settings: RunnerSettings;
  now: () => number;
  /** Returns the milliseconds that this claim and earlier claims have worked on the run. */
  workMs: () => number;
  /** Returns the bytes of node outputs of this claim and earlier ones. */
  outputBytes: () => number;
  /** Called when a batch can't be stored. Later batches then fail, too. */
  onFailure?: (error: unknown) => void;
}

/** Opens the journal of a claim, with regular checkpoints until it is closed. */
export function makeClaimJournal(options: ClaimJournalOptions): ClaimJournal {
  const { claims, claim, history, settings, now, workMs, outputBytes, onFailure = () => {} } = options;
  const logCounts = new Map(Object.entries(history.log_counts));
  let children = new Map<string, ChildRow & EventPositions>();
  let begun = new Map<string, NodeRun & EventPositions>();
  let ended: (NodeRun & EventPositions)[] = [];
  let takenOver: Progress['taken_over'] = [];
  let isComplete = true;
  let transactions: TransactionOutcome[] = [];
  let inputs: Progress['inputs'] = [];
  let logs: Progress['logs'] = [];
  const lastLine =
    `log_lines_limit: a run keeps ${settings.flowRunMaxLogLines} lines, of ${settings.flowRunMaxLogCharacters} ` +
    'characters in all; the others are left out';
  let bytes = 0;
  let logCharacters = 0;
  let hasStored = false;
  let last: Promise<void> = Promise.resolve();
  let queued: Promise<void> | undefined;
  let lastPosition = 0;
  const inOrder = makeTimesInOrder();
  /**
   * The begins of node executions that have not ended. An execution that ends at once reports no begin. It begins at
   * the time of its first log line.
   */
  const starts = new Map<string, { start_position: number; start_time: string }>();

  const startOf = (execution: Effect, time: string): { start_position: number; start_time: string } => {
    const key = executionKey(execution);
    const start = starts.get(key) ?? { start_position: ++lastPosition, start_time: inOrder.next(time) };
    starts.set(key, start);
    return start;
  };

  const rows = () =>
    children.size + begun.size + ended.length + takenOver.length + transactions.length + inputs.length + logs.length;
  const holds = (batches: number) =>
    rows() >= settings.checkpointRows * batches || bytes >= settings.checkpointBytes * batches;

  const take = (): Progress => {
    const progress: Progress = {
      children: [...children.values()],
      node_runs: [...ended, ...begun.values()],
      taken_over: takenOver,
      transactions,
      inputs,
      logs,
      is_in_order: inOrder.isKept(),
      is_complete: isComplete,
      work_ms: workMs(),
      output_bytes: outputBytes(),
    };
    children = new Map();
    begun = new Map();
    ended = [];
    takenOver = [];
    transactions = [];
    inputs = [];
    logs = [];
    bytes = 0;
    return progress;
  };

  // Rows depend on earlier rows, so batches are stored one after another. Progress in the meantime goes into the next
  // batch.
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
    // Reports the failure at once, even if no caller waits for this batch.
    last.catch(onFailure);
    return last;
  };
  const flushIfMuch = () => {
    if (holds(1)) void flush();
  };
  const timer = setInterval(() => void flush(), settings.checkpointMs);

  /** Called runs that have not ended. */
  const open = new Map<string, ChildRow & EventPositions>(
    history.children.filter((row) => row.end_time === null)
      .map((row) => [row.id, { ...row, start_position: 0, end_position: null }]),
  );

  return {
    runBegan: (run) => {
      const start_time = new Date(now()).toISOString();
      startOf(
        { flow_run_id: run.parent_flow_run_id, node_id: run.parent_node_id, times: run.parent_times },
        start_time,
      );
      const row = {
        ...run,
        status: 'running',
        start_time,
        end_time: null,
        output: null,
        errors: null,
        not_run: null,
        start_position: ++lastPosition,
        end_position: null,
      } as const;
      open.set(run.id, row);
      children.set(run.id, row);
      bytes += ROW_BYTES + measureMap(run.inputs.M);
    },
    runEnded: (id, result) => {
      const row = open.get(id);
      if (row === undefined) return;
      open.delete(id);
      children.set(id, {
        ...row,
        ...result,
        end_time: new Date(now()).toISOString(),
        end_position: ++lastPosition,
      });
      bytes += ROW_BYTES + measureMap(result.output.M);
      flushIfMuch();
    },
    nodeBegan: (run) => {
      begun.set(executionKey(run), { ...run, ...startOf(run, run.start_time), end_position: null });
      bytes += nodeRunBytes(run);
    },
    nodeEnded: (run) => {
      const key = executionKey(run);
      const start = startOf(run, run.start_time);
      const end_time = run.end_time && inOrder.next(run.end_time);
      ended.push({ ...run, ...start, end_time, end_position: ++lastPosition });
      begun.delete(key);
      starts.delete(key);
      bytes += nodeRunBytes(run);
      flushIfMuch();
    },
    nodeTakenOver: ({ flow_run_id, node_id, times }, from) => {
      takenOver.push({
        flow_run_id,
        node_id,
        times,
        from_flow_run_id: from.flow_run_id,
        from_times: from.times,
        start_position: ++lastPosition,
        end_position: ++lastPosition,
      });
      bytes += ROW_BYTES;
      flushIfMuch();
    },
    leftIncomplete: () => isComplete = false,
    transactionEnded: ({ flow_run_id, node_id, times }, outcome, signature) => {
      transactions.push({ flow_run_id, node_id, times, outcome, signature });
      bytes += ROW_BYTES;
      flushIfMuch();
    },
    inputAsked: (input) => {
      startOf(input, new Date(now()).toISOString());
      inputs.push({ ...input, position: ++lastPosition });
      bytes += ROW_BYTES + (input.webhook === undefined ? 0 : JSON.stringify(input.webhook).length);
    },
    logged: (line) => {
      const index = logCounts.get(line.flow_run_id) ?? 0;
      if (index >= settings.flowRunMaxLogLines) return;
      logCharacters += line.content.length;
      const isLast = index === settings.flowRunMaxLogLines - 1 || logCharacters > settings.flowRunMaxLogCharacters;
      logCounts.set(line.flow_run_id, isLast ? settings.flowRunMaxLogLines : index + 1);
      const { flow_run_id, node_id, times } = line;
      if (node_id !== null && times !== null) startOf({ flow_run_id, node_id, times }, line.time);
      logs.push({
        ...line,
        time: inOrder.next(line.time),
        ...(isLast && { log_level: 'Warn' as const, content: lastLine }),
        log_index: index,
        position: ++lastPosition,
      });
      bytes += logLineBytes(line);
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
