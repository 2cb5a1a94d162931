import { isDone, type StoredNodeRun } from './journal.ts';

/** The executions of a node in another run. This run hands their outputs on instead of running the node. */
export interface Feed {
  /** The executions that succeeded or whose failure the flow handled, by `times`, in this order. */
  executions: ReadonlyMap<number, StoredNodeRun>;
  /**
   * How many times the node hands on. If an execution between others is missing, the node hands on for it that there is
   * no value.
   */
  count: number;
  /** The executions belong to iterations of a loop. */
  isElement: boolean;
  /** The outputs that at least one execution gave. */
  given: ReadonlySet<string>;
  /** At least one execution gave the output `error` for a failure. */
  hasError: boolean;
}

export function makeFeed(stored: ReadonlyMap<number, StoredNodeRun>, isSurelyElement: boolean): Feed {
  const executions = new Map([...stored].filter(([, run]) => isDone(run)));
  const last = [...stored.keys()].at(-1) ?? 0;
  // A loop of one element looks like a node outside of loops, whose value serves every iteration of others.
  const given = new Set<string>();
  let hasError = false;
  // Once for all edges: a node may have thousands of edges, and executions.
  for (const run of executions.values()) {
    for (const name of Object.keys(run.output?.M ?? {})) given.add(name);
    hasError ||= run.errors !== null;
  }
  return { executions, count: last + 1, isElement: isSurelyElement || last > 0, given, hasError };
}
