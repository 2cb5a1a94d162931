import type { RunEdge, RunNode } from './graph.ts';

/** The nodes of a graph that run once for each element of a loop. */
export interface Loops {
  /** Nodes whose executions may belong to iterations of a loop. */
  maybe: ReadonlySet<RunNode>;
  /** Nodes that run only for elements of a loop. */
  surely: ReadonlySet<RunNode>;
}

/** Finds the nodes that loops reach. Follows only the edges that `isCounted` accepts. */
function nodesInLoops(nodes: readonly RunNode[], isCounted: (edge: RunEdge) => boolean): Set<RunNode> {
  const inLoops = new Set<RunNode>();
  const open = nodes.flatMap((node) => node.outgoing.filter((edge) => edge.isSpread && isCounted(edge)));
  for (let edge = open.pop(); edge !== undefined; edge = open.pop()) {
    const { target } = edge;
    if (target.module?.collects || inLoops.has(target)) continue;
    inLoops.add(target);
    open.push(...target.outgoing.filter(isCounted));
  }
  return inLoops;
}

export const findLoops = (nodes: readonly RunNode[]): Loops => ({
  maybe: nodesInLoops(nodes, () => true),
  surely: nodesInLoops(nodes, ({ isNeeded }) => isNeeded),
});
