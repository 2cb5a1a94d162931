import type { DrawnEdge, DrawnInput, DrawnNode } from '../../shared/graph/drawn_node.ts';
import { passedOnHandle } from '../../shared/graph/drawn_node.ts';
import { typesMeet } from '../../../types/values/port_types.ts';

/** A handle at which an edge may begin. */
export interface EdgeStart {
  node: DrawnNode;
  handle: string;
  name: string;
  types: string[];
  /** True if the handle belongs to an input whose value the node also gives as an output. */
  isPassedOn: boolean;
}

/**
 * Lists the handles of a node at which edges may begin: its outputs, and inputs whose values the node also gives as
 * outputs.
 */
export const edgeStarts = (node: DrawnNode): EdgeStart[] => [
  ...node.outputs.map(({ id, name, types }) => ({ node, handle: id, name, types, isPassedOn: false })),
  ...node.inputs.filter(({ isPassedOn }) => isPassedOn)
    .map(({ id, name, types }) => ({ node, handle: passedOnHandle(id), name, types, isPassedOn: true })),
];

/** Lists the neighbours of each node in one direction of the edges. */
function neighbours(edges: readonly DrawnEdge[], from: 'source' | 'target', to: 'source' | 'target') {
  const lists = new Map<string, string[]>();
  for (const edge of edges) {
    const list = lists.get(edge[from]);
    if (list === undefined) lists.set(edge[from], [edge[to]]);
    else list.push(edge[to]);
  }
  return lists;
}

/** Returns a node and all nodes that can be reached from it. */
function reachable(from: string, next: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const seen = new Set([from]);
  const waiting = [from];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const other of next.get(node) ?? []) {
      if (seen.has(other)) continue;
      seen.add(other);
      waiting.push(other);
    }
  }
  return seen;
}

/**
 * Returns a node and all nodes that can be reached from it along edges. An edge from any of these nodes back to the
 * first node would close a circle.
 */
export const behind = (edges: readonly DrawnEdge[], nodeId: string): ReadonlySet<string> =>
  reachable(nodeId, neighbours(edges, 'source', 'target'));

const quote = (name: string): string => name === '' ? 'it' : `“${name}”`;

/** Returns the reason why an edge may not be drawn, as a sentence; undefined if the edge is allowed. */
export type EdgeRefusal = (start: EdgeStart, target: DrawnNode, input: DrawnInput) => string | undefined;

/**
 * Makes the function that tests whether a new edge may be added to `edges`. The function is fast for thousands of new
 * edges if they all begin at one node, or all lead to the node `onlyTarget`.
 */
export function makeRefusal(edges: readonly DrawnEdge[], onlyTarget?: string): EdgeRefusal {
  const taken = new Map(edges.map((edge) => [`${edge.target} ${edge.targetHandle}`, edge]));
  const after = onlyTarget === undefined ? undefined : behind(edges, onlyTarget);
  let before: ReadonlyMap<string, readonly string[]> | undefined;
  const reaching = new Map<string, ReadonlySet<string>>();
  const isCircle = (from: string, to: string): boolean => {
    if (after !== undefined && to === onlyTarget) return after.has(from);
    before ??= neighbours(edges, 'target', 'source');
    const known = reaching.get(from) ?? reachable(from, before);
    reaching.set(from, known);
    return known.has(to);
  };
  return (start, target, input) => {
    if (!typesMeet(start, input.types)) {
      return `The output ${quote(start.name)} gives ${start.types.join(' or ')}, but the input ${quote(input.name)} ` +
        `wants ${input.types.join(' or ')}.`;
    }
    const there = taken.get(`${target.id} ${input.id}`);
    if (there?.source === start.node.id && there.sourceHandle === start.handle) return 'This edge is there already.';
    if (there !== undefined) return `The input ${quote(input.name)} has an edge already. Remove that one first.`;
    return isCircle(start.node.id, target.id) ? 'The nodes would wait for each other in a circle.' : undefined;
  };
}

/** Finds the ports at an edge's ends by their handles; undefined if a handle is not a port of the node. */
export function findEnds(edge: DrawnEdge, nodes: ReadonlyMap<string, DrawnNode>) {
  const source = nodes.get(edge.source);
  const target = nodes.get(edge.target);
  const start = source && edgeStarts(source).find(({ handle }) => handle === edge.sourceHandle);
  const input = target?.inputs.find(({ id }) => id === edge.targetHandle);
  return start && target && input && { start, target, input };
}
