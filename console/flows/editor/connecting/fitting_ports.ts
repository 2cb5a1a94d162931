import type { DrawnEdge, DrawnInput, DrawnNode } from '../../../shared/graph/drawn_node.ts';
import { typesMeet } from '../../../../types/values/port_types.ts';
import { type EdgeStart, edgeStarts } from '../edge_refusals.ts';
import { hasNamedPorts } from '../ports/named_ports.ts';
import { isData, PORT_RANKS, rankInput } from './port_rank.ts';

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

/** Returns the inputs to which the editor may draw an edge automatically: the inputs that have no edge. */
function openInputs(node: DrawnNode, edges: readonly DrawnEdge[]): DrawnInput[] {
  const taken = new Set(edges.filter(({ target }) => target === node.id).map(({ targetHandle }) => targetHandle));
  return node.inputs.filter((input) => !taken.has(input.id) && !isWritten(node, input));
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

/** Returns the inputs of a node that accept the value of an output, the likeliest first. */
export const fittingInputs = (start: EdgeStart, to: DrawnNode, edges: readonly DrawnEdge[]): DrawnInput[] =>
  openInputs(to, edges).filter((input) => typesMeet(start, input.types))
    .toSorted((a, b) => rankInput(start, a) - rankInput(start, b));

/** Returns the outputs of a node whose values the input accepts, the likeliest first. */
export const fittingStarts = (from: DrawnNode, input: DrawnInput): EdgeStart[] =>
  openStarts(from).filter((start) => typesMeet(start, input.types))
    .toSorted((a, b) => rankInput(a, input) - rankInput(b, input));

/**
 * Chooses the ports that a user most likely means: ports of the same name, or else the input for the data of the node,
 * or else the only pair that fits, or the only output for data if all lead to the same input. Never chooses a setting, such as an address or a title.
 */
export function clearPair(from: DrawnNode, to: DrawnNode, edges: readonly DrawnEdge[]): FittingPair | undefined {
  const pairs = openStarts(from).flatMap((start) =>
    fittingInputs(start, to, edges).map((input) => ({ start, input, rank: rankInput(start, input) }))
  ).filter(({ rank }) => rank < PORT_RANKS.setting).toSorted((a, b) => a.rank - b.rank);
  const [best, next] = pairs;
  if (best === undefined) return undefined;
  // The inputs of a script differ only in their names, so the first one is as good as any other.
  const isScript = (hasNamedPorts(to) || to.nodeId.startsWith('rhai_script_')) &&
    pairs.every(({ start }) => start === best.start);
  const isClear = best.rank <= PORT_RANKS.data || next === undefined || isScript ||
    (best.rank === PORT_RANKS.required && next.rank > best.rank);
  if (isClear) return best;
  const fromData = pairs.filter(({ start }) => isData(start.name));
  return fromData.length === 1 && pairs.every(({ input }) => input === best.input) ? fromData[0] : undefined;
}
