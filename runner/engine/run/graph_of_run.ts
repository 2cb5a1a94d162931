import type { Tree } from '../tree/tree.ts';
import { makeRunGraph, type RunGraph } from '../graph/graph.ts';
import { findLoops } from '../graph/loops.ts';
import { cutGraph, setInlineInputs } from '../graph/partial_graph.ts';
import { TakeOver } from '../redrive/take_over.ts';
import type { TreeRun } from '../tree/tree_run.ts';

/** Makes the graph of a run. For a redrive, also makes the object that selects the executions to take over. */
export function graphOfRun(tree: Tree, run: TreeRun): { graph: RunGraph; takeOver: TakeOver | undefined } {
  const { flows: { registry, effectsOfCalledFlow }, services: { history } } = tree;
  const { partial, earlierRuns } = run;
  const whole = makeRunGraph(run.graph, registry, effectsOfCalledFlow, (nodes) => {
    if (partial !== undefined) setInlineInputs(nodes, partial);
  });
  if (partial === undefined && earlierRuns === undefined) return { graph: whole, takeOver: undefined };
  // A partial run selects nodes. Loops are found in the whole flow, because a selected node may belong to a loop that
  // begins at an unselected node.
  const loops = findLoops(whole.nodes);
  return {
    graph: partial === undefined ? whole : cutGraph(whole, { partial, loops, inputs: run.inputs }),
    takeOver: earlierRuns && new TakeOver(history.earlierRuns, {
      runs: earlierRuns,
      flow: run.flow,
      loops,
      effectsOfCalledFlow,
      mayRepeat: ({ id }) => history.earlierRuns.repeatEffects.has(`${run.flow}/${id}`),
      isPinned: ({ id }) => run.pins?.[id] !== undefined,
    }),
  };
}
