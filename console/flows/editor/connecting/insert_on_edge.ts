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
import { freePlace } from '../free_place.ts';
import type { PaletteRequest } from '../palette/palette_context.tsx';
import { nodesById } from '../view.ts';
import { fittingInputs, fittingStarts } from './fitting_ports.ts';
import { splitEdge } from './join_new_node.ts';

/** The height that is kept free for the new node, whose size is not yet known. */
const ABOUT_HEIGHT = 120;

/** Returns the test of nodes that fit into an edge: one input takes its value, and its end takes one output. */
function fitsInto(document: FlowDocument, index: number): (node: DrawnNode) => boolean {
  const { source, sourceHandle, target, targetHandle } = readEdge(document.edges[index]);
  const nodes = nodesById(document);
  const [from, to] = [nodes.get(source), nodes.get(target)];
  const start = from && edgeStarts(from).find(({ handle }) => handle === sourceHandle);
  const end = to?.inputs.find(({ id }) => id === targetHandle);
  if (start === undefined || end === undefined) return () => false;
  return (node) => fittingInputs(start, node, []).length > 0 && fittingStarts(node, end).length > 0;
}

/** Returns the middle between the ends of an edge. */
function middleOf(document: FlowDocument, index: number): Point | undefined {
  const { source, target } = readEdge(document.edges[index]);
  const placeOf = (id: string) => readPosition(document.nodes.find((node) => nodeIdOf(node) === id));
  const [from, to] = [placeOf(source), placeOf(target)];
  return from && to && { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
}

/** Makes the request for a palette whose node is put into an edge. */
export function requestForEdge(document: FlowDocument, index: number): PaletteRequest {
  const middle = middleOf(document, index);
  return {
    fits: fitsInto(document, index),
    hint: 'Nodes that fit between the two ends of the edge',
    ...(middle && { at: freePlace(document, middle, ABOUT_HEIGHT) }),
    join: (current: FlowDocument, added: PlainObject) => splitEdge(current, index, added) ?? current,
  };
}

/** Makes the request for a palette that was opened with this selection: into the edge if only one is selected. */
export function requestForSelection({ document, selected, selectedEdges }: EditorState): PaletteRequest {
  const [index] = selectedEdges;
  return selected.size === 0 && selectedEdges.size === 1 ? requestForEdge(document, index!) : {};
}
