import type { BegunExecutions } from './begun_executions.ts';
import type { Tree } from './context.ts';
import { takeOutcome } from './earlier_claim.ts';
import type { RunNode } from './graph.ts';
import { isDone, type StoredNodeRun } from './journal.ts';
import { copyMap } from './node_values.ts';
import type { TakeOver } from './redrive.ts';
import { heldByMap } from './value_size.ts';

/** The executions of a node in another run. This run hands their outputs on instead of running the node. */
export interface Feed {
  /** Those that succeeded, or whose failure the flow handled, by `times`, in this order. */
  executions: ReadonlyMap<number, StoredNodeRun>;
  /** How many times the node hands on. An execution that is missing between others hands on that it gave nothing. */
  count: number;
  /** The executions belong to iterations of a loop. */
  isElement: boolean;
}

export function makeFeed(stored: ReadonlyMap<number, StoredNodeRun>, isSurelyElement: boolean): Feed {
  const executions = new Map([...stored].filter(([, run]) => isDone(run)));
  const last = [...stored.keys()].at(-1) ?? 0;
  // A loop of one element looks like a node outside of loops, whose value serves every iteration of others.
  return { executions, count: last + 1, isElement: isSurelyElement || last > 0 };
}

/** Hands the next execution of a fed node on. */
export function feedNext(tree: Tree, begun: BegunExecutions, node: RunNode, takeOver: TakeOver | undefined): void {
  const times = node.times++;
  const run = node.feed?.executions.get(times);
  const fed = { node, times, isElement: node.feed?.isElement ?? false, positions: takeOver?.positionsOfFed(times) };
  node.isRunning = true;
  node.hasStarted = true;
  if (run === undefined) {
    return begun.skip({ ...fed, outcome: { outputs: copyMap({}) }, skipped: 'unset', part: 'all' });
  }
  const tooMuch = tree.counters.outputs.take(heldByMap(run.output?.M ?? {}));
  const outcome = tooMuch === undefined ? takeOutcome(tree, run, {}) : { error: tooMuch };
  begun.add({ ...fed, record: () => {}, handle: (failure) => failure }, outcome);
}
