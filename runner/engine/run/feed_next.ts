import type { BegunExecutions } from './under_way.ts';
import type { Tree } from '../tree/tree.ts';
import { takeOutcome } from '../execution/earlier_claim.ts';
import type { RunNode } from '../graph/graph.ts';
import { copyMap } from '../graph/outcome.ts';
import type { TakeOver } from '../redrive/take_over.ts';
import { heldByMap } from '../limits/value_size.ts';

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
