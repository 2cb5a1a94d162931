import { type EndedStatus, hasEnded, type RunStatus } from '../../../types/flow_run.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import type { Effect, LogLevel, WantedInput } from '../node.ts';

/** One execution of a node, as node_run stores it. */
export interface NodeRun {
  flow_run_id: string;
  node_id: string;
  /** The index of the execution among those of its node, from 0. Skipped elements of a loop also have an index. */
  times: number;
  /** The number of the latest attempt, which may still be under way. The first attempt has the number 1. */
  attempt: number;
  /** While the execution waits for its next attempt, the begin of that attempt. Otherwise null. */
  retry_at: string | null;
  start_time: string;
  /** The begin of the latest attempt. It is missing or null for the first attempt, which begins at `start_time`. */
  attempt_start_time?: string | null;
  end_time: string | null;
  input: { M: ValueMap };
  output: { M: ValueMap } | null;
  errors: string[] | null;
  /**
   * True if the flow handled the errors through the output `error`. If this member is missing, the stored value does
   * not change.
   */
  error_handled?: boolean;
  /** Set if the node did not run, because the flow's author has fixed ("pinned") its outputs. */
  is_pinned?: true;
}

/** A run that an interflow node starts. */
export interface ChildRun {
  id: string;
  flow_id: number;
  inputs: { M: ValueMap };
  parent_flow_run_id: string;
  parent_node_id: string;
  parent_times: number;
}

/** One log line, as flow_run_logs stores it. */
export interface LogLine {
  flow_run_id: string;
  node_id: string | null;
  times: number | null;
  time: string;
  log_level: LogLevel;
  module: string | null;
  content: string;
}

/** An input that a node execution asks somebody for. */
export interface AskedInput extends Effect, Omit<WantedInput, 'timeoutMs'> {
  /** The end of the URL. */
  token: string;
  /** The URL that takes the answer. */
  url: string;
  timeout_ms: number;
}

/** The end of a run. */
export interface RunResult {
  status: EndedStatus;
  output: { M: ValueMap };
  errors: string[] | null;
  not_run: string[];
}

/** Receives reports of the events in a tree of runs, in the order of the events. */
export interface Journal {
  runBegan: (run: ChildRun) => void;
  runEnded: (id: string, result: RunResult) => void;
  /**
   * One of the following has happened. A node that does not end at once has begun, an attempt has failed, or a further
   * attempt has begun.
   */
  nodeBegan: (run: NodeRun) => void;
  nodeEnded: (run: NodeRun) => void;
  inputAsked: (input: AskedInput) => void;
  /** This run is a redrive and takes over an execution of an earlier run, with its inputs and outputs. */
  nodeTakenOver: (execution: Effect, from: Effect) => void;
  logged: (line: LogLine) => void;
  /**
   * The run does not have all results that a redrive needs. Either it was halted, so that some nodes may never run
   * although they could. Or it is a redrive and has not taken over all effects of the earlier runs.
   */
  leftIncomplete: () => void;
  /** Resolves when all reports so far are stored; rejects if they can't be stored. */
  flush: () => Promise<void>;
  /** True if memory holds the maximum of unstored rows. Then the engine must wait for a flush. */
  isFull: () => boolean;
}

/**
 * The row that earlier claims stored for a node execution. It has no inputs, because the engine computes them again.
 */
export type StoredNodeRun = Omit<NodeRun, 'input'>;

/** The row that earlier claims stored for a child: a run that a node called. */
interface StoredChild {
  id: string;
  /** Null if the child has not ended. */
  result: RunResult | null;
}

/**
 * An execution of an earlier run. It has `input` only if the node may have effects, or if the earlier run executed
 * another snapshot.
 */
export type EarlierNodeRun = StoredNodeRun & { input?: { M: ValueMap } };

/** The nodes of an earlier run's graph that are different in the snapshot of this run. */
export interface GraphChanges {
  /** The kind of change, for each node whose data or incoming edges differ. */
  nodes: { [nodeId: string]: string };
  /** The ids of nodes that call a changed flow. */
  calls: string[];
}

/**
 * The changes of a snapshot, flow by flow. The key is `entry` for the started flow, and the flow's id for a called
 * flow.
 */
export type SnapshotChanges = { [flow: string]: GraphChanges };

/**
 * The earlier runs that a run uses. A redrive uses the runs from which it was redriven and the runs that they called. A
 * partial run uses the runs from which it takes values.
 */
export interface EarlierRuns {
  /** The ids of the runs from which the run was redriven, the newest first; empty if the run is no redrive. */
  roots: readonly string[];
  /** The executions of a node in an earlier run. The keys are the values of `times`, in ascending order. */
  executions: (flowRunId: string, nodeId: string) => ReadonlyMap<number, EarlierNodeRun>;
  /** The ids of the nodes that have executions in an earlier run. */
  nodesOf: (flowRunId: string) => ReadonlySet<string>;
  /** The run that an execution in an earlier run called. */
  calledRun: (caller: Effect) => string | undefined;
  /**
   * For each of `roots`, the changes between its snapshot and this run's snapshot. Undefined if the snapshot is the
   * same.
   */
  changes: readonly (SnapshotChanges | undefined)[];
  /** The nodes that the redrive allows to repeat their effects. An element is the key of the flow, `/` and the node. */
  repeatEffects: ReadonlySet<string>;
}

/** The rows that earlier claims of a run stored. The engine uses these results and does not repeat the work. */
export interface History {
  isEmpty: boolean;
  /** The number of node executions in children that have ended. */
  endedExecutions: number;
  nodeRun: (execution: Effect) => StoredNodeRun | undefined;
  /** The run that a node execution called. */
  child: (caller: Effect) => StoredChild | undefined;
  earlierRuns: EarlierRuns;
}

/** The stored row of a child. The child has begun, and may have ended. */
export interface ChildRow extends ChildRun {
  status: RunStatus;
  start_time: string;
  end_time: string | null;
  output: RunResult['output'] | null;
  errors: string[] | null;
  not_run: string[] | null;
}

/** Makes a key for one execution of a node. The child run that the execution called has the same key. */
export const executionKey = ({ flow_run_id, node_id, times }: Effect): string => `${flow_run_id}/${node_id}#${times}`;

/**
 * Tests whether a redrive may take over an execution. The execution must have succeeded, or the flow must have handled
 * its failure.
 */
export const isDone = ({ end_time, errors, error_handled }: StoredNodeRun): boolean =>
  end_time !== null && (errors === null || error_handled === true);

/** The stored rows of the runs that a run was redriven from, as the database returns them. */
export interface StoredEarlierRuns {
  /** The runs from which the run was redriven, the newest first. */
  roots: string[];
  /** The runs that the roots called. */
  children: Pick<ChildRow, 'id' | 'parent_flow_run_id' | 'parent_node_id' | 'parent_times'>[];
  node_runs: EarlierNodeRun[];
  /** The changes since a root, for each root that executed another snapshot. */
  changes?: { [rootId: string]: SnapshotChanges } | null;
  /** The nodes that may repeat their effects, by flow. The keys are those of SnapshotChanges. */
  repeat_effects?: { [flow: string]: string[] } | null;
}

const callerKey = (row: StoredEarlierRuns['children'][number]): string =>
  executionKey({ flow_run_id: row.parent_flow_run_id, node_id: row.parent_node_id, times: row.parent_times });

function makeEarlierRuns(
  { roots, children, node_runs, changes, repeat_effects }: StoredEarlierRuns,
): EarlierRuns {
  const none = new Map<number, EarlierNodeRun>();
  const executions = new Map<string, Map<number, EarlierNodeRun>>();
  const nodes = new Map<string, Set<string>>();
  for (const run of node_runs.toSorted((a, b) => a.times - b.times)) {
    const key = `${run.flow_run_id}/${run.node_id}`;
    const ofNode = executions.get(key) ?? new Map<number, EarlierNodeRun>();
    executions.set(key, ofNode.set(run.times, run));
    nodes.set(run.flow_run_id, (nodes.get(run.flow_run_id) ?? new Set()).add(run.node_id));
  }
  const called = new Map(children.map((row) => [callerKey(row), row.id]));
  return {
    roots,
    executions: (flowRunId, nodeId) => executions.get(`${flowRunId}/${nodeId}`) ?? none,
    nodesOf: (flowRunId) => nodes.get(flowRunId) ?? new Set(),
    calledRun: (caller) => called.get(executionKey(caller)),
    changes: roots.map((id) => changes?.[id]),
    repeatEffects: new Set(
      Object.entries(repeat_effects ?? {}).flatMap(([flow, nodes]) => nodes.map((node) => `${flow}/${node}`)),
    ),
  };
}

/** The stored progress of a run before its claim, as the database returns it. */
interface StoredProgress {
  /** Only for a run that is a redrive. */
  redriven?: StoredEarlierRuns | undefined;
  node_runs: StoredNodeRun[];
  children: ChildRow[];
  /** The number of node executions in those children that have ended. */
  ended_executions: number;
}

export function makeHistory(stored: StoredProgress): History {
  const { node_runs: nodeRuns, children, ended_executions: endedExecutions } = stored;
  const runs = new Map(nodeRuns.map((run) => [executionKey(run), run]));
  const childRuns = new Map(
    children.map((row) => {
      const { status, output, errors, not_run } = row;
      const result = hasEnded(status) ? { status, output: output ?? { M: {} }, errors, not_run: not_run ?? [] } : null;
      return [callerKey(row), { id: row.id, result }];
    }),
  );
  return {
    endedExecutions,
    isEmpty: runs.size === 0 && childRuns.size === 0,
    nodeRun: (execution) => runs.get(executionKey(execution)),
    child: (caller) => childRuns.get(executionKey(caller)),
    earlierRuns: makeEarlierRuns(stored.redriven ?? { roots: [], children: [], node_runs: [] }),
  };
}
