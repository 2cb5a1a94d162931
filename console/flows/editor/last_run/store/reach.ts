import { readEdge } from '../../../../shared/graph/drawn_node.ts';
import type { FlowDocument } from '../../flow_document.ts';

/** Returns a node with all nodes before it or after it. */
function reach(document: FlowDocument, start: string, direction: 'before' | 'after'): Set<string> {
  const next = new Map<string, string[]>();
  for (const { source, target } of document.edges.map(readEdge)) {
    const [from, to] = direction === 'after' ? [source, target] : [target, source];
    next.set(from, [...next.get(from) ?? [], to]);
  }
  const found = new Set([start]);
  // The loop also visits the ids that it adds to the set.
  for (const id of found) {
    for (const other of next.get(id) ?? []) found.add(other);
  }
  return found;
}

/** The nodes that a partial run executes, relative to the selected node. */
export type RunScope = 'this node' | 'to here' | 'from here';

/**
 * Returns the ids of the nodes that a partial run executes. If an edge names a deleted node, the id of this node is
 * left out.
 */
export function nodesInScope(document: FlowDocument, id: string, scope: RunScope): Set<string> {
  const ids = new Set(document.nodes.map((node) => node.id));
  const chosen = scope === 'this node' ? new Set([id]) : reach(document, id, scope === 'to here' ? 'before' : 'after');
  return new Set([...chosen].filter((one) => ids.has(one)));
}
