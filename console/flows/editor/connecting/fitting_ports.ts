import type { DrawnEdge, DrawnInput, DrawnNode } from '../../../shared/graph/drawn_node.ts';
import { typesMeet } from '../../../../types/values/port_types.ts';
import { type EdgeStart, edgeStarts } from '../edge_refusals.ts';
import { hasNamedPorts } from '../ports/named_ports.ts';

/** An output of a node, and an input of another node that accepts the output's value. */
export interface FittingPair {
  start: EdgeStart;
  input: DrawnInput;
}

/**
 * Tests whether an input contains the text of a script. The editor draws no edge to such an input automatically,
 * because users write the script in the panel.
 */
const isWritten = ({ nodeId }: DrawnNode, { name }: DrawnInput): boolean =>
  name === 'source' && nodeId.startsWith('rhai_script_');

/**
 * Returns the inputs to which the editor may draw an edge automatically: the required inputs that have no edge. If
 * every required input has an edge, returns all inputs that have no edge.
 */
function openInputs(node: DrawnNode, edges: readonly DrawnEdge[]): DrawnInput[] {
  const taken = new Set(edges.filter(({ target }) => target === node.id).map(({ targetHandle }) => targetHandle));
  const open = node.inputs.filter((input) => !taken.has(input.id) && !isWritten(node, input));
  const required = open.filter(({ isRequired }) => isRequired);
  return required.length > 0 ? required : open;
}

/**
 * Returns the ports at which the editor may begin an edge automatically: the outputs. If the node has no outputs,
 * returns the inputs whose values it passes on.
 */
function openStarts(node: DrawnNode): EdgeStart[] {
  const starts = edgeStarts(node).filter(({ name, isPassedOn }) => isPassedOn || name !== 'error');
  const own = starts.filter(({ isPassedOn }) => !isPassedOn);
  return own.length > 0 ? own : starts;
}

/** Returns the inputs of a node that accept the value of an output. */
export const fittingInputs = (start: EdgeStart, to: DrawnNode, edges: readonly DrawnEdge[]): DrawnInput[] =>
  openInputs(to, edges).filter((input) => typesMeet(start, input.types));

/** Returns the outputs of a node whose values the input accepts. */
export const fittingStarts = (from: DrawnNode, input: DrawnInput): EdgeStart[] =>
  openStarts(from).filter((start) => typesMeet(start, input.types));

/** Chooses the ports that a user most likely means: the only pair that fits, or the first input of a script. */
export function clearPair(from: DrawnNode, to: DrawnNode, edges: readonly DrawnEdge[]): FittingPair | undefined {
  const pairs = openStarts(from).flatMap((start) => fittingInputs(start, to, edges).map((input) => ({ start, input })));
  const [first] = pairs;
  // The inputs of a script differ only in their names, so the first one is as good as any other.
  const isScript = (hasNamedPorts(to) || to.nodeId.startsWith('rhai_script_')) &&
    pairs.every(({ start }) => start === first?.start);
  return pairs.length === 1 || isScript ? first : undefined;
}
