import { type DrawnEdge, type DrawnNode, readEdge } from '../../../shared/graph/drawn_node.ts';
import { behind } from '../edge_refusals.ts';
import type { FlowDocument } from '../flow_document.ts';
import { whyLoopIsCut } from './loops.ts';

/** Finds a node outside of a selection that is behind one selected node and before another. */
function nodeBetween(edges: readonly DrawnEdge[], chosen: ReadonlySet<string>): string | undefined {
  const backwards = edges.map(({ source, target, ...handles }) => ({ ...handles, source: target, target: source }));
  const before = new Set([...chosen].flatMap((id) => [...behind(backwards, id)]));
  for (const id of chosen) {
    for (const other of behind(edges, id)) if (!chosen.has(other) && before.has(other)) return other;
  }
  return undefined;
}

/** Returns the reason why nodes can't become a flow of their own, as a sentence; undefined if they can. */
export function whyNotExtracted(
  document: FlowDocument,
  nodes: ReadonlyMap<string, DrawnNode>,
  chosen: ReadonlySet<string>,
): string | undefined {
  if (chosen.size === 0) return 'Select the nodes to extract. Inputs and outputs of the flow stay in it.';
  const edges = document.edges.map(readEdge);
  const between = nodeBetween(edges, chosen);
  if (between !== undefined) {
    return `“${nodes.get(between)?.title ?? between}” is between the selected nodes. Select it, too.`;
  }
  for (const { source, target, targetHandle } of edges) {
    const to = chosen.has(target) && !chosen.has(source) ? nodes.get(target) : undefined;
    const input = to?.inputs.find(({ id }) => id === targetHandle);
    // A called flow gets null for a missing value, and these inputs tell null from a missing value.
    if (to !== undefined && (to.nodeId === 'merge' || input?.whenAbsent !== undefined)) {
      return `“${to.title}” also runs without the value of “${
        nodes.get(source)?.title ?? source
      }”. Select both, or neither.`;
    }
  }
  return whyLoopIsCut(
    document,
    nodes,
    chosen,
    edges.filter((edge) => chosen.has(edge.source) && !chosen.has(edge.target)),
  );
}
