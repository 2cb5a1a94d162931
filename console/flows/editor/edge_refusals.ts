import type { DrawnEdge, DrawnInput, DrawnNode } from '../../shared/graph/drawn_node.ts';
import { passedOnHandle } from '../../shared/graph/drawn_node.ts';
import { typesMeet } from '../../../types/values/port_types.ts';

/** A handle at which an edge may begin. */
export interface EdgeStart {
  node: DrawnNode;
  handle: string;
  name: string;
  types: string[];
  /** Whether it is an input that passes its value on. */
  isPassedOn: boolean;
}

/** Lists the handles of a node at which edges may begin: its outputs, and inputs that it passes on. */
export const edgeStarts = (node: DrawnNode): EdgeStart[] => [
  ...node.outputs.map(({ id, name, types }) => ({ node, handle: id, name, types, isPassedOn: false })),
  ...node.inputs.filter(({ isPassedOn }) => isPassedOn)
    .map(({ id, name, types }) => ({ node, handle: passedOnHandle(id), name, types, isPassedOn: true })),
];

/** True if edges lead from the first node to the second. */
function reaches(from: string, to: string, edges: readonly DrawnEdge[]): boolean {
  const next = new Map<string, string[]>();
  for (const { source, target } of edges) {
    const targets = next.get(source);
    if (targets === undefined) next.set(source, [target]);
    else targets.push(target);
  }
  const seen = new Set([from]);
  const waiting = [from];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node === to) return true;
    for (const target of next.get(node) ?? []) {
      if (seen.has(target)) continue;
      seen.add(target);
      waiting.push(target);
    }
  }
  return false;
}

const quote = (name: string): string => name === '' ? 'it' : `“${name}”`;

/**
 * Returns the reason why an edge may not be drawn, as a sentence; undefined if it may. `whyRefused` in `actions.ts`
 * asks for it, and `flow_editor.tsx` shows it as a notice.
 */
export function refusal(
  start: EdgeStart,
  target: DrawnNode,
  input: DrawnInput,
  edges: readonly DrawnEdge[],
): string | undefined {
  if (!typesMeet(start, input.types)) {
    return `The output ${quote(start.name)} gives ${start.types.join(' or ')}, but the input ${quote(input.name)} ` +
      `wants ${input.types.join(' or ')}.`;
  }
  const isThere = ({ source, sourceHandle, target: to, targetHandle }: DrawnEdge) =>
    source === start.node.id && sourceHandle === start.handle && to === target.id && targetHandle === input.id;
  if (edges.some(isThere)) return 'This edge is there already.';
  if (edges.some((edge) => edge.target === target.id && edge.targetHandle === input.id)) {
    return `The input ${quote(input.name)} has an edge already. Remove that one first.`;
  }
  if (reaches(target.id, start.node.id, edges)) {
    return 'The nodes would wait for each other in a circle.';
  }
  return undefined;
}

/** Finds the ports at an edge's ends by their handles; undefined if a handle is not a port of the node. */
export function findEnds(edge: DrawnEdge, nodes: ReadonlyMap<string, DrawnNode>) {
  const source = nodes.get(edge.source);
  const target = nodes.get(edge.target);
  const start = source && edgeStarts(source).find(({ handle }) => handle === edge.sourceHandle);
  const input = target?.inputs.find(({ id }) => id === edge.targetHandle);
  return start && target && input && { start, target, input };
}
