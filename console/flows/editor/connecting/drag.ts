import { type DrawnEdge, type DrawnInput, type DrawnNode, readEdge } from '../../../shared/graph/drawn_node.ts';
import type { FittingPorts } from '../../../shared/graph/graph_node.tsx';
import { type EdgeStart, edgeStarts, makeRefusal } from '../edge_refusals.ts';
import type { FlowDocument } from '../flow_document.ts';
import { hasRoomForInput } from '../ports/named_ports.ts';
import { drawnNode, nodesById } from '../view.ts';
import { rankInput } from './port_rank.ts';

/** The port at which a drag began. */
export interface DragFrom {
  nodeId: string;
  handle: string;
  side: 'input' | 'output';
}

/** An edge that a drop can draw, and the name and the types of the port at which the drag ends. */
export interface PossibleEdge {
  edge: DrawnEdge;
  /** The name of the port at which the drag ends. */
  name: string;
  types: readonly string[];
  /** How likely the user means this edge: smaller is likelier. */
  rank: number;
  /** True if the edge leads to a new input, which the drop adds to the node. */
  isNew?: true;
}

/**
 * Returns the edges that a drag from the port `from` to the node `to` could draw: one for each port of `to` that fits
 * the direction of the drag. `reason` says why an edge is refused; it is undefined for an allowed edge.
 */
export function edgesTo(document: FlowDocument, from: DragFrom, to: DrawnNode) {
  const nodes = nodesById(document);
  const own = nodes.get(from.nodeId);
  const refusal = makeRefusal(document.edges.map(readEdge));
  const make = (
    start: EdgeStart,
    target: DrawnNode,
    input: DrawnNode['inputs'][number],
    port: PossibleEdge['name'],
  ) => ({
    edge: { source: start.node.id, sourceHandle: start.handle, target: target.id, targetHandle: input.id },
    name: port,
    types: from.side === 'output' ? input.types : start.types,
    rank: rankInput(start, input),
    reason: refusal(start, target, input),
  });
  if (own === undefined) return [];
  if (from.side === 'output') {
    const start = edgeStarts(own).find(({ handle }) => handle === from.handle);
    return start === undefined ? [] : to.inputs.map((input) => make(start, to, input, input.name));
  }
  const input = own.inputs.find(({ id }) => id === from.handle);
  return input === undefined ? [] : edgeStarts(to).map((start) => make(start, own, input, start.name));
}

/** The new input that a drop of an edge adds to a script. */
const NEW_INPUT: Omit<DrawnInput, 'id'> = {
  name: 'New input',
  types: ['free'],
  description: '',
  isRequired: false,
  isPassedOn: false,
  whenAbsent: undefined,
};

/** Returns the edge to a new input of a script; undefined if the drag can't end at a new input. */
export function edgeToNewInput(document: FlowDocument, from: DragFrom, to: DrawnNode): PossibleEdge | undefined {
  if (from.side !== 'output' || !hasRoomForInput(to)) return undefined;
  const [edge] = edgesTo(document, from, { ...to, inputs: [{ ...NEW_INPUT, id: crypto.randomUUID() }] });
  return edge === undefined || edge.reason !== undefined ? undefined : { ...edge, isNew: true };
}

/** Finds all ports of a flow at which a drag may end. The port at which the drag began is among them. */
export function fittingPorts(document: FlowDocument, from: DragFrom): FittingPorts {
  const edges = document.edges.map(readEdge);
  const own = nodesById(document).get(from.nodeId);
  const ports = new Set([`${from.side === 'output' ? 'out' : 'in'} ${from.nodeId} ${from.handle}`]);
  const nodes = new Set([from.nodeId]);
  const start = own && edgeStarts(own).find(({ handle }) => handle === from.handle);
  const input = own?.inputs.find(({ id }) => id === from.handle);
  const refusal = makeRefusal(edges, from.side === 'input' ? from.nodeId : undefined);
  for (const json of document.nodes) {
    const node = drawnNode(json);
    const fitting = from.side === 'output'
      ? node.inputs.filter((other) => start !== undefined && refusal(start, node, other) === undefined)
        .map(({ id }) => `in ${node.id} ${id}`)
      : edgeStarts(node).filter((other) => own && input && refusal(other, own, input) === undefined)
        .map(({ handle }) => `out ${node.id} ${handle}`);
    for (const port of fitting) ports.add(port);
    const takesNew = from.side === 'output' && start !== undefined && hasRoomForInput(node) &&
      refusal(start, node, { ...NEW_INPUT, id: '' }) === undefined;
    if (fitting.length > 0 || takesNew) nodes.add(node.id);
  }
  return { ports, nodes };
}

const sideOf = (from: DragFrom): string => from.side === 'output' ? 'input' : 'output';

/** Returns the reason why a drag can't end at a node. */
export function whyNoPort(from: DragFrom, to: DrawnNode, edges: ReturnType<typeof edgesTo>): string {
  const [only, ...others] = edges;
  if (only === undefined) return `“${to.title}” has no ${sideOf(from)}.`;
  if (others.length === 0) return only.reason ?? '';
  const reasons = new Set(edges.map(({ reason }) => reason));
  const [first] = reasons;
  return reasons.size === 1 && first !== undefined ? first : `No free ${sideOf(from)} of “${to.title}” fits.`;
}

/** Returns the types of the port at which a drag began, and its name. */
export function portOf(document: FlowDocument, { nodeId, handle, side }: DragFrom) {
  const node = nodesById(document).get(nodeId);
  if (node === undefined) return undefined;
  return side === 'input'
    ? node.inputs.find(({ id }) => id === handle)
    : edgeStarts(node).find((start) => start.handle === handle);
}
