import type { BegunExecutions } from './begun_executions.ts';
import type { Tree } from './context.ts';
import { takeOutcome } from './earlier_claim.ts';
import type { RunNode } from './graph.ts';
import { copyMap } from './node_values.ts';
import type { TakeOver } from './redrive.ts';
import { heldByMap } from './value_size.ts';

/** Completes the next execution of a fed node. The node does not run, and the outputs come from its feed. */
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
