import { type DrawnEdge, type DrawnNode, readEdge } from '../../../shared/graph/drawn_node.ts';
import { behind } from '../edge_refusals.ts';
import type { FlowDocument } from '../flow_document.ts';
import { whyLoopIsCut } from './loops.ts';
import { actsWithout, mayStayUnset, needsOf } from './missing_values.ts';

/** Finds a node outside of a selection that is behind one selected node and before another. */
function nodeBetween(edges: readonly DrawnEdge[], chosen: ReadonlySet<string>): string | undefined {
  const backwards = edges.map(({ source, target, ...handles }) => ({ ...handles, source: target, target: source }));
  const before = new Set([...chosen].flatMap((id) => [...behind(backwards, id)]));
  for (const id of chosen) {
    for (const other of behind(edges, id)) if (!chosen.has(other) && before.has(other)) return other;
  }
  return undefined;
}

/**
 * Finds a chosen node that runs without the value of an edge into the selection, and the node whose value it is. The node
 * that calls the new flow waits for all its values, because the called flow would get null for a missing one. So the
 * chosen node would no longer run.
 */
function runsWithoutValue(
  document: FlowDocument,
  edges: readonly DrawnEdge[],
  chosen: ReadonlySet<string>,
): { node: string; source: string } | undefined {
  const needs = needsOf(document);
  const isUnset = mayStayUnset(needs, (id) => !chosen.has(id));
  const leaving = new Set(edges.filter(({ target }) => !chosen.has(target)).map(({ source }) => source));
  const ports = new Map<string, { source: string; cut: Set<number> }>();
  for (const [index, { source, sourceHandle, target }] of edges.entries()) {
    if (chosen.has(source) || !chosen.has(target) || !isUnset(source)) continue;
    const key = `${source} ${sourceHandle}`;
    ports.set(key, { source, cut: new Set(ports.get(key)?.cut).add(index) });
  }
  for (const { source, cut } of ports.values()) {
    const node = actsWithout(needs, chosen, (id) => leaving.has(id), cut);
    if (node !== undefined) return { node, source };
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
  const titleOf = (id: string) => `“${nodes.get(id)?.title ?? id}”`;
  const alsoRunsWithout = (id: string, source: string) =>
    `${titleOf(id)} also runs without the value of ${titleOf(source)}. Select both, or neither.`;
  if (between !== undefined) return `${titleOf(between)} is between the selected nodes. Select it, too.`;
  for (const { source, target, targetHandle } of edges) {
    const to = chosen.has(target) && !chosen.has(source) ? nodes.get(target) : undefined;
    const input = to?.inputs.find(({ id }) => id === targetHandle);
    // A called flow gets null for a missing value, and these inputs tell null from a missing value.
    if (to !== undefined && (to.nodeId === 'merge' || input?.whenAbsent !== undefined)) {
      return alsoRunsWithout(target, source);
    }
  }
  const found = runsWithoutValue(document, edges, chosen);
  if (found !== undefined) return alsoRunsWithout(found.node, found.source);
  return whyLoopIsCut(
    document,
    nodes,
    chosen,
    edges.filter((edge) => chosen.has(edge.source) && !chosen.has(edge.target)),
  );
}
