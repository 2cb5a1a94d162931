import type { RunNode } from './graph.ts';

/** The nodes of a graph that run once for each element of a loop. */
export interface Loops {
  /** Nodes whose executions may belong to iterations of a loop. */
  maybe: ReadonlySet<RunNode>;
  /** Nodes that run only for elements of a loop. */
  surely: ReadonlySet<RunNode>;
}

/**
 * Finds the nodes that loops reach. `isReached` tests whether a node is reached if this number of its edges comes from a
 * loop, and whether one of these edges must bring a value.
 */
function nodesInLoops(
  nodes: readonly RunNode[],
  isReached: (node: RunNode, edges: number, isNeeded: boolean) => boolean,
): Set<RunNode> {
  const inLoops = new Set<RunNode>();
  const edgesInLoops = new Map<RunNode, number>();
  const open = nodes.flatMap((node) => node.outgoing.filter((edge) => edge.isSpread));
  for (let edge = open.pop(); edge !== undefined; edge = open.pop()) {
    const { target, need } = edge;
    if (target.module?.collects || inLoops.has(target)) continue;
    const edges = (edgesInLoops.get(target) ?? 0) + 1;
    edgesInLoops.set(target, edges);
    if (!isReached(target, edges, need === 'value')) continue;
    inLoops.add(target);
    // The edges that spread an array are already in the list.
    open.push(...target.outgoing.filter(({ isSpread }) => !isSpread));
  }
  return inLoops;
}

export const findLoops = (nodes: readonly RunNode[]): Loops => ({
  maybe: nodesInLoops(nodes, () => true),
  surely: nodesInLoops(
    nodes,
    ({ needsOneValue, incoming }, edges, isNeeded) => isNeeded || (needsOneValue && edges === incoming.length),
  ),
});
