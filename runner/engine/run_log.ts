import type { Tree } from './context.ts';
import type { RunNode } from './graph.ts';
import type { LogBuffer } from './log_buffer.ts';
import { isLogged } from './log_filter.ts';
import type { LogLevel, NodeCall } from './node.ts';
import { toLogContent } from './text_limits.ts';
import type { TreeRun } from './tree_run.ts';

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

/** Takes log lines; they are written once it is opened. */
export interface HeldLog {
  write: NodeCall['log'];
  open: () => void;
}

/** Keeps log lines until it is opened: a node that is released writes them when it runs again. */
export function bufferUntil(write: NodeCall['log'], buffer: LogBuffer): HeldLog {
  let add = buffer.add;
  return {
    write: (...line) => add(...line),
    open: () => {
      add = write;
      for (const line of buffer.lines.splice(0)) write(...line);
    },
  };
}
