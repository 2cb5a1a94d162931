import type { Tree } from '../tree/tree.ts';
import type { RunNode } from '../graph/graph.ts';
import { LogBuffer } from './log_buffer.ts';
import { isLogged } from './log_filter.ts';
import type { LogLevel, NodeCall } from '../node.ts';
import { toLogContent } from '../limits/text_limits.ts';
import type { TreeRun } from '../tree/tree_run.ts';

/** Writes a log line of a run, or of one of its nodes. */
export function logLine(
  tree: Tree,
  run: TreeRun,
  level: LogLevel,
  content: string,
  node?: { node: RunNode; times: number },
): void {
  if (!isLogged(level, run.graph.environment)) return;
  tree.services.journal.logged({
    flow_run_id: run.id,
    node_id: node?.node.id ?? null,
    times: node?.times ?? null,
    time: new Date(tree.services.now()).toISOString(),
    log_level: level,
    module: node?.node.nodeId ?? null,
    content: toLogContent(content),
  });
}

/** Keeps log lines until it is opened, and then writes them. */
export interface HeldLog {
  write: NodeCall['log'];
  open: () => void;
}

/**
 * Makes a log that keeps the lines of a node until the log is opened. If the node is released before that, the kept
 * lines are dropped, because the node logs them again in its next run.
 */
export function holdLog(write: NodeCall['log'], tree: Tree, run: TreeRun): HeldLog {
  const buffer = new LogBuffer(run.graph.environment, tree.counters.limits);
  let add = buffer.add;
  return {
    write: (...line) => add(...line),
    open: () => {
      add = write;
      for (const line of buffer.lines.splice(0)) write(...line);
    },
  };
}
