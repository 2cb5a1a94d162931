import { type DrawnEdge, type DrawnInput, type DrawnNode, type DrawnPort, passedOnHandle } from './drawn_node.ts';

/** If a node has more outputs, it shows only its first output and the outputs that have an edge. */
const MOST_OUTPUTS = 4;

/** The source of an input's value. */
export type InputMark = 'connected' | 'set' | 'missing' | 'empty';

/**
 * The ports at which edges begin or end. Each is a text: `in` or `out`, the id of the node, and the id of the handle.
 */
export type ConnectedPorts = ReadonlySet<string>;

export function connectedPorts(edges: readonly DrawnEdge[]): ConnectedPorts {
  const ports = new Set<string>();
  for (const { source, sourceHandle, target, targetHandle } of edges) {
    ports.add(`out ${source} ${sourceHandle}`);
    ports.add(`in ${target} ${targetHandle}`);
  }
  return ports;
}

export const NO_PORTS: ConnectedPorts = new Set();

/** The ports of a node that the canvas shows, and their states. */
export interface ShownPorts {
  inputs: readonly DrawnInput[];
  outputs: readonly DrawnPort[];
  /** Number of ports that are not shown. */
  hidden: number;
  /** True if the user has asked to see all ports. */
  isExpanded: boolean;
  marks: ReadonlyMap<string, InputMark>;
  /** The ids of the outputs with an edge. */
  connectedOutputs: ReadonlySet<string>;
}

function markOf(node: DrawnNode, { id, value, isRequired }: DrawnInput, connected: ConnectedPorts): InputMark {
  if (connected.has(`in ${node.id} ${id}`)) return 'connected';
  if (value !== undefined) return 'set';
  return isRequired ? 'missing' : 'empty';
}

/**
 * Chooses the shown ports of a node: inputs that are required, connected or set, and its outputs. A single port is
 * never hidden, because the button that shows it would take the same room.
 */
export function shownPorts(node: DrawnNode, connected: ConnectedPorts, isExpanded = false): ShownPorts {
  const marks = new Map(node.inputs.map((input) => [input.id, markOf(node, input, connected)]));
  const hasEdge = (handle: string) => connected.has(`out ${node.id} ${handle}`);
  const inputs = node.inputs.filter(({ id, isPassedOn }) =>
    marks.get(id) !== 'empty' || (isPassedOn && hasEdge(passedOnHandle(id)))
  );
  const connectedOutputs = new Set(node.outputs.map(({ id }) => id).filter(hasEdge));
  const outputs = node.outputs.length <= MOST_OUTPUTS
    ? node.outputs
    : node.outputs.filter(({ id }, index) => index === 0 || connectedOutputs.has(id));
  const hidden = node.inputs.length - inputs.length + node.outputs.length - outputs.length;
  const shown = isExpanded || hidden < 2 ? node : { inputs, outputs };
  return {
    inputs: shown.inputs,
    outputs: shown.outputs,
    hidden: shown === node ? 0 : hidden,
    isExpanded: isExpanded && hidden >= 2,
    marks,
    connectedOutputs,
  };
}
