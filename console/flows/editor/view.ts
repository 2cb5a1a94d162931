import type { Edge } from '@xyflow/react';
import {
  type DrawnNode,
  isObject,
  type PlainObject,
  readEdge,
  readNode,
  readPosition,
} from '../../shared/graph/drawn_node.ts';
import type { GraphNode } from '../../shared/graph/graph_node.tsx';
import { type PortColour, portColour } from '../../shared/graph/port_types.ts';
import { nodeGeometry } from '../../shared/graph/geometry.ts';
import type { RouteData } from '../../shared/graph/routes/route_edges.ts';
import { type ConnectedPorts, connectedPorts, type ShownPorts, shownPorts } from '../../shared/graph/shown_ports.ts';
import { expressionOf } from './edge/edge_expression.ts';
import { edgeStarts } from './edge_refusals.ts';
import type { EditorState } from './editor_store.ts';
import type { FlowDocument } from './flow_document.ts';
import { makeAnnotationView } from './notes/annotation_view.ts';

/** The parsed nodes by their `data`. A node is parsed again only if its `data` changes, which a move does not do. */
const drawnNodes = new WeakMap<PlainObject, DrawnNode>();

export function drawnNode(json: PlainObject): DrawnNode {
  const key = isObject(json.data) ? json.data : json;
  const known = drawnNodes.get(key);
  if (known !== undefined && known.id === json.id) return known;
  const node = readNode(json);
  drawnNodes.set(key, node);
  return node;
}

/** Returns the nodes of a document by their ids. */
export const nodesById = ({ nodes }: FlowDocument): Map<string, DrawnNode> =>
  new Map(nodes.map((json) => {
    const node = drawnNode(json);
    return [node.id, node];
  }));

const connectedOf = new WeakMap<readonly PlainObject[], ConnectedPorts>();

/** Returns the ports that have edges. While the edges stay the same, returns the same object. */
function connectedIn({ edges }: FlowDocument): ConnectedPorts {
  const known = connectedOf.get(edges) ?? connectedPorts(edges.map(readEdge));
  connectedOf.set(edges, known);
  return known;
}

const sameMap = (a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): boolean =>
  a.size === b.size && [...b].every(([id, value]) => a.get(id) === value);
const sameSet = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...b].every((id) => a.has(id));

const sameShown = (a: ShownPorts, b: ShownPorts): boolean =>
  a.hidden === b.hidden && a.isExpanded === b.isExpanded && a.inputs.length === b.inputs.length &&
  sameMap(a.marks, b.marks) && sameSet(a.connectedOutputs, b.connectedOutputs);

/** The values from which a node was drawn. */
interface Made {
  json: PlainObject;
  connected: ConnectedPorts;
  isExpanded: boolean;
  node: GraphNode;
}

function drawNode(
  json: PlainObject,
  node: DrawnNode,
  shown: ShownPorts,
  selected: boolean,
  faults: readonly string[] | undefined,
  problems: readonly string[] | undefined,
): GraphNode {
  const geometry = nodeGeometry(shown, { hasState: false, hasFaults: faults !== undefined });
  return {
    id: node.id,
    type: 'drawn',
    position: readPosition(json) ?? { x: 0, y: 0 },
    selected,
    ariaLabel: node.title,
    ...geometry,
    data: { node, shown, handles: geometry.handles, ...(faults && { faults }), ...(problems && { problems }) },
  };
}

/**
 * Makes the function that converts nodes to the canvas's form. It returns unchanged nodes as the same objects, so the
 * canvas does not draw them again.
 */
export function makeNodeView() {
  let before = new Map<string, Made>();
  const viewAnnotations = makeAnnotationView();
  return (
    { document, selected, faults, problems }: Pick<EditorState, 'document' | 'selected' | 'faults' | 'problems'>,
    expanded: ReadonlySet<string>,
  ): GraphNode[] => {
    const connected = connectedIn(document);
    const after = new Map<string, Made>();
    const nodes = document.nodes.map((json): GraphNode => {
      const drawn = drawnNode(json);
      const { id } = drawn;
      const former = before.get(id);
      const ofNode = faults.get(id);
      const found = problems.get(id);
      const isExpanded = expanded.has(id);
      const sameJson = former?.json === json ? former : undefined;
      const samePorts = sameJson?.connected === connected && sameJson.isExpanded === isExpanded;
      const next = samePorts ? sameJson!.node.data.shown : shownPorts(drawn, connected, isExpanded);
      const shown = sameJson !== undefined && sameShown(sameJson.node.data.shown, next)
        ? sameJson.node.data.shown
        : next;
      const isSelected = selected.has(id);
      const isSame = sameJson !== undefined && sameJson.node.data.shown === shown &&
        sameJson.node.selected === isSelected && sameJson.node.data.faults === ofNode &&
        sameJson.node.data.problems === found;
      const node = isSame ? sameJson.node : drawNode(json, drawn, shown, isSelected, ofNode, found);
      after.set(id, { json, connected, isExpanded, node });
      return node;
    });
    before = after;
    return viewAnnotations(nodes, document);
  };
}

const coloursOf = new WeakMap<DrawnNode, ReadonlyMap<string, PortColour>>();

/** Returns, by handle, the colour of each port of a node at which an edge may begin. */
function startColours(node: DrawnNode): ReadonlyMap<string, PortColour> {
  const known = coloursOf.get(node) ??
    new Map(edgeStarts(node).map(({ handle, types }) => [handle, portColour(types)]));
  coloursOf.set(node, known);
  return known;
}

/** An edge of the canvas. */
export type RoutedEdge = Edge<RouteData & { colour: PortColour; hasExpression: boolean }>;

/** The values from which an edge was drawn. */
interface MadeEdge {
  json: PlainObject;
  edge: RoutedEdge;
}

/**
 * Makes the function that converts edges to the canvas's form. The id of an edge is its index in the document. Edges at
 * a selected node are marked. An edge has the colour of the port at which it begins. For an unchanged edge, the
 * function returns the same object again.
 */
export function makeEdgeView() {
  let before: MadeEdge[] = [];
  return (
    { document, selected, selectedEdges }: Pick<EditorState, 'document' | 'selected' | 'selectedEdges'>,
  ): MadeEdge['edge'][] => {
    const nodes = nodesById(document);
    const titleOf = (id: string) => nodes.get(id)?.title ?? 'a node that is gone';
    const after = document.edges.map((json, index): MadeEdge => {
      const { source, sourceHandle, target, targetHandle } = readEdge(json);
      const isSelected = selectedEdges.has(index);
      const mayBeAbsent = nodes.get(target)?.inputs.find(({ id }) => id === targetHandle)?.whenAbsent !== undefined;
      const isNear = selected.has(source) || selected.has(target);
      const hasExpression = expressionOf(json) !== '';
      const className = [
        isNear ? 'graph-edge-near' : '',
        mayBeAbsent ? 'editor-edge-may-be-absent' : '',
        hasExpression ? 'editor-edge-expression' : '',
      ].filter((name) => name !== '').join(' ');
      const ariaLabel = `Edge from ${titleOf(source)} to ${titleOf(target)}${
        hasExpression ? ', with an expression' : ''
      }`;
      const from = nodes.get(source);
      const colour = (from && startColours(from).get(sourceHandle)) ?? 'any';
      const former = before[index];
      const isSame = former?.json === json && former.edge.selected === isSelected &&
        former.edge.className === className && former.edge.ariaLabel === ariaLabel &&
        former.edge.data?.colour === colour;
      if (isSame) return former;
      const ends = { source, sourceHandle, target, targetHandle };
      const look = { selected: isSelected, className, ariaLabel };
      return { json, edge: { ...ends, ...look, id: String(index), data: { colour, hasExpression } } };
    });
    before = after;
    return after.map(({ edge }) => edge);
  };
}
