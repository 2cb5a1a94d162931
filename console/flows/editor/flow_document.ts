import {
  type DrawnEdge,
  isObject,
  type PlainObject,
  type Point,
  readEdge,
  readNode,
  readPosition,
} from '../../shared/graph/drawn_node.ts';
import { layOut } from '../../shared/graph/layout.ts';

/**
 * The graph of a flow, as an editor stored it. The object is never changed in place. The editor stores unedited parts
 * as it read them, with all members that other editors wrote.
 */
export interface FlowDocument {
  nodes: readonly PlainObject[];
  edges: readonly PlainObject[];
}

export const nodeIdOf = (node: PlainObject): string => typeof node.id === 'string' ? node.id : '';

/** Changes one node. */
export const changeNode = (
  document: FlowDocument,
  id: string,
  change: (node: PlainObject) => PlainObject,
): FlowDocument => ({
  ...document,
  nodes: document.nodes.map((node) => nodeIdOf(node) === id ? change(node) : node),
});

const shift = (json: unknown, by: Point): unknown =>
  isObject(json) && typeof json.x === 'number' && typeof json.y === 'number'
    ? { ...json, x: json.x + by.x, y: json.y + by.y }
    : undefined;

/** Moves a node. Editors store two positions for each node, and this function moves both by the same distance. */
export function moveNode(node: PlainObject, to: Point): PlainObject {
  const from = readPosition(node);
  if (from === undefined) return { ...node, position: to };
  const by = { x: to.x - from.x, y: to.y - from.y };
  if (by.x === 0 && by.y === 0) return node;
  const absolute = shift(node.positionAbsolute, by);
  return {
    ...node,
    position: shift(node.position, by) ?? to,
    ...(absolute !== undefined && { positionAbsolute: absolute }),
  };
}

/** Moves nodes to the given positions. */
export const moveNodes = (document: FlowDocument, places: ReadonlyMap<string, Point>): FlowDocument => ({
  ...document,
  nodes: document.nodes.map((node) => {
    const place = places.get(nodeIdOf(node));
    return place === undefined ? node : moveNode(node, place);
  }),
});

/** Computes new positions for all nodes. */
export const layOutDocument = (document: FlowDocument, signal?: AbortSignal): Promise<Map<string, Point>> =>
  layOut(document.nodes.map(readNode), document.edges.map(readEdge), signal);

/** Computes positions if no node has one. The nodes of a flow that was not drawn in an editor have no positions. */
export const placeNodes = async (document: FlowDocument, signal?: AbortSignal): Promise<FlowDocument> =>
  document.nodes.length === 0 || document.nodes.some((node) => readPosition(node) !== undefined)
    ? document
    : moveNodes(document, await layOutDocument(document, signal));

/** Makes a new edge, with the members that other editors expect. */
export const makeEdge = (edge: DrawnEdge): PlainObject => ({ id: crypto.randomUUID(), type: 'custom', ...edge });

/** Removes nodes and their edges. */
export const removeNodes = (document: FlowDocument, ids: ReadonlySet<string>): FlowDocument => ({
  nodes: document.nodes.filter((node) => !ids.has(nodeIdOf(node))),
  edges: document.edges.filter((edge) => {
    const { source, target } = readEdge(edge);
    return !ids.has(source) && !ids.has(target);
  }),
});
