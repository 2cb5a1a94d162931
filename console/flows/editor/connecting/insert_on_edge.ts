import {
  type DrawnNode,
  type PlainObject,
  type Point,
  readEdge,
  readPosition,
} from '../../../shared/graph/drawn_node.ts';
import { edgeStarts } from '../edge_refusals.ts';
import type { EditorState } from '../editor_store.ts';
import { type FlowDocument, nodeIdOf } from '../flow_document.ts';
import { freePlace } from '../adding/free_place.ts';
import type { PaletteRequest } from '../palette/palette_context.tsx';
import { nodesById } from '../view.ts';
import { fittingInputs, fittingStarts } from './fitting_ports.ts';
import { splitEdge } from './join_new_node.ts';

/** The height that the editor keeps free for a new node before it knows the node's size. */
const ABOUT_HEIGHT = 120;

/**
 * Returns a function that tests whether a node can be put into an edge: an input of the node must accept the value of
 * the edge, and the input at the end of the edge must accept an output of the node.
 */
function fitsInto(document: FlowDocument, index: number): (node: DrawnNode) => boolean {
  const { source, sourceHandle, target, targetHandle } = readEdge(document.edges[index]);
  const nodes = nodesById(document);
  const [from, to] = [nodes.get(source), nodes.get(target)];
  const start = from && edgeStarts(from).find(({ handle }) => handle === sourceHandle);
  const end = to?.inputs.find(({ id }) => id === targetHandle);
  if (start === undefined || end === undefined) return () => false;
  return (node) => fittingInputs(start, node, []).length > 0 && fittingStarts(node, end).length > 0;
}

/** Returns the point in the middle between the two nodes of an edge. */
function middleOf(document: FlowDocument, index: number): Point | undefined {
  const { source, target } = readEdge(document.edges[index]);
  const placeOf = (id: string) => readPosition(document.nodes.find((node) => nodeIdOf(node) === id));
  const [from, to] = [placeOf(source), placeOf(target)];
  return from && to && { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
}

/** Makes the request that opens the palette to choose a node for the middle of an edge. */
export function requestForEdge(document: FlowDocument, index: number): PaletteRequest {
  const middle = middleOf(document, index);
  return {
    fits: fitsInto(document, index),
    hint: 'Nodes that fit between the two ends of the edge',
    ...(middle && { at: freePlace(document, middle, ABOUT_HEIGHT) }),
    join: (current: FlowDocument, added: PlainObject) => splitEdge(current, index, added) ?? current,
  };
}

/**
 * Makes the request that opens the palette. If exactly one edge and no node is selected, the chosen node is put into
 * that edge.
 */
export function requestForSelection({ document, selected, selectedEdges }: EditorState): PaletteRequest {
  const [index] = selectedEdges;
  return selected.size === 0 && selectedEdges.size === 1 ? requestForEdge(document, index!) : {};
}
