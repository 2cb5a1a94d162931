import { isDone, type StoredNodeRun } from '../state/journal.ts';

/** The executions of a node in another run. This run uses their outputs instead of running the node. */
export interface Feed {
  /**
   * The executions that succeeded, and those whose failure the flow handled. The keys are the values of `times`, in
   * ascending order.
   */
  executions: ReadonlyMap<number, StoredNodeRun>;
  /**
   * The number of executions. It includes missing executions between existing ones. A missing execution gives no value.
   */
  count: number;
  /** True if the executions belong to iterations of a loop. */
  isElement: boolean;
  /** The outputs that at least one execution gave. */
  given: ReadonlySet<string>;
  /** True if at least one execution failed and gave the output `error`. */
  hasError: boolean;
  /** True if at least one execution failed and its failure was not handled. */
  hasFailed: boolean;
}

export function makeFeed(stored: ReadonlyMap<number, StoredNodeRun>, isSurelyElement: boolean): Feed {
  const executions = new Map([...stored].filter(([, run]) => isDone(run)));
  const hasFailed = executions.size < stored.size;
  const last = [...stored.keys()].at(-1) ?? 0;
  // A node outside of loops has one row, and its value serves every iteration. A loop with one element also leaves one
  // row. Only `isSurelyElement` tells which case it is.
  const given = new Set<string>();
  let hasError = false;
  // The outputs are collected once for all edges, because a node may have thousands of edges and executions.
  for (const run of executions.values()) {
    for (const name of Object.keys(run.output?.M ?? {})) given.add(name);
    hasError ||= run.errors !== null;
  }
  return { executions, count: last + 1, isElement: isSurelyElement || last > 0, given, hasError, hasFailed };
}
