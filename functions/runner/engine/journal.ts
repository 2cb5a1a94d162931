import { type EndedStatus, hasEnded, type RunStatus } from '../../../types/flow_run.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import type { Effect, LogLevel } from './node.ts';

/** One execution of a node, as node_run stores it. */
export interface NodeRun {
  flow_run_id: string;
  node_id: string;
  times: number;
  start_time: string;
  end_time: string | null;
  input: { M: ValueMap };
  output: { M: ValueMap } | null;
  errors: string[] | null;
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

/** How a run ended. */
export interface RunResult {
  status: EndedStatus;
  output: { M: ValueMap };
  errors: string[] | null;
  not_run: string[];
}

/** Where an execution reports what happens, in order. */
export interface Journal {
  runBegan: (run: ChildRun) => void;
  runEnded: (id: string, result: RunResult) => void;
  /** A node has begun that does not end at once. */
  nodeBegan: (run: NodeRun) => void;
  nodeEnded: (run: NodeRun) => void;
  logged: (line: LogLine) => void;
  /** Resolves when everything so far is stored; rejects when it can't be. */
  flush: () => Promise<void>;
  /** Memory holds as much that is not stored as it should. Whoever writes waits for a flush. */
  isFull: () => boolean;
}

/** What earlier claims stored of a node execution; its inputs follow from the rest. */
export type StoredNodeRun = Omit<NodeRun, 'input'>;

/** What earlier claims stored of a child. */
export interface StoredChild {
  id: string;
  /** Null: it has not ended. */
  result: RunResult | null;
}

/** What earlier claims of a run stored. It is taken over, not done again. */
export interface History {
  isEmpty: boolean;
  /** Node executions of children that have ended. */
  endedExecutions: number;
  nodeRun: (execution: Effect) => StoredNodeRun | undefined;
  /** The run that a node execution called. */
  child: (caller: Effect) => StoredChild | undefined;
}

/** A child as the database has it: begun, or begun and ended. */
export interface ChildRow extends ChildRun {
  status: RunStatus;
  start_time: string;
  end_time: string | null;
  output: RunResult['output'] | null;
  errors: string[] | null;
  not_run: string[] | null;
}

/** Names one execution of a node, and the child run that it called. */
export const executionKey = ({ flow_run_id, node_id, times }: Effect): string => `${flow_run_id}/${node_id}#${times}`;

/** What is stored of a run before it is claimed, in the database's words. */
export interface StoredProgress {
  node_runs: StoredNodeRun[];
  children: ChildRow[];
  /** Node executions of the children that have ended. */
  ended_executions: number;
}

export function makeHistory(stored: StoredProgress): History {
  const { node_runs: nodeRuns, children, ended_executions: endedExecutions } = stored;
  const runs = new Map(nodeRuns.map((run) => [executionKey(run), run]));
  const childRuns = new Map(
    children.map((row) => {
      const { status, output, errors, not_run } = row;
      const result = hasEnded(status) ? { status, output: output ?? { M: {} }, errors, not_run: not_run ?? [] } : null;
      return [
        executionKey({ flow_run_id: row.parent_flow_run_id, node_id: row.parent_node_id, times: row.parent_times }),
        { id: row.id, result },
      ];
    }),
  );
  return {
    endedExecutions,
    isEmpty: runs.size === 0 && childRuns.size === 0,
    nodeRun: (execution) => runs.get(executionKey(execution)),
    child: (caller) => childRuns.get(executionKey(caller)),
  };
}
