import { isObject, readEdge } from '../../shared/graph/drawn_node.ts';
import { type FlowDocument, nodeIdOf } from './flow_document.ts';

/**
 * A fault that a deploy finds in a flow. A finding prevents the deploy, a warning does not. The reasons why the editor
 * refuses an edge while it is drawn are in `edge_refusals.ts`.
 */
export interface Finding {
  code: string;
  /** The path of the fault, such as `nodes[3].id` or `edges[0].source`. */
  path: string;
  message: string;
  /** The node at which it is shown; undefined if it concerns no node of this flow. */
  nodeId: string | undefined;
}

/** Finds the node that contains a path, or to which the edge in the path leads. */
function nodeAt(document: FlowDocument, path: string): string | undefined {
  const [, list, index] = /^(nodes|edges)\[(\d+)\]/.exec(path) ?? [];
  if (list === 'nodes') {
    const node = document.nodes[Number(index)];
    return node && nodeIdOf(node);
  }
  const edge = list === 'edges' ? document.edges[Number(index)] : undefined;
  if (edge === undefined) return undefined;
  const { source, target } = readEdge(edge);
  const ids = new Set(document.nodes.map(nodeIdOf));
  return [target, source].find((id) => ids.has(id));
}

/** Reads warnings, or the details of `flow_invalid`. Findings of called flows are shown at no node. */
export function readFindings(details: unknown, document: FlowDocument, flowId: number): Finding[] {
  if (!Array.isArray(details)) return [];
  return details.filter(isObject).map(({ code, path, message, flow_id }) => ({
    code: String(code),
    path: String(path),
    message: flow_id === undefined || flow_id === flowId
      ? String(message)
      : `in flow ${String(flow_id)}: ${String(message)}`,
    nodeId: flow_id === undefined || flow_id === flowId ? nodeAt(document, String(path)) : undefined,
  }));
}

/** Groups the messages by the nodes at which they are shown. */
export function faultsOf(findings: readonly Finding[]): Map<string, string[]> {
  const faults = new Map<string, string[]>();
  for (const { nodeId, message } of findings) {
    if (nodeId !== undefined) faults.set(nodeId, [...faults.get(nodeId) ?? [], message]);
  }
  return faults;
}
