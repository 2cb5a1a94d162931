import type { Edge } from '@xyflow/react';
import {
  type DrawnNode,
  isObject,
  objectAt,
  type PlainObject,
  readEdge,
  readNode,
  readPosition,
} from '../../shared/graph/drawn_node.ts';
import type { GraphNode } from '../../shared/graph/graph_node.tsx';
import { nodeGeometry } from '../../shared/graph/geometry.ts';
import type { InputMark } from '../../shared/graph/node_card.tsx';
import type { EditorState } from './editor_store.ts';
import type { FlowDocument } from './flow_document.ts';

/** Parsed nodes by their JSON, so that an unchanged node is not parsed again. */
const drawnNodes = new WeakMap<PlainObject, DrawnNode>();

export function drawnNode(json: PlainObject): DrawnNode {
  const known = drawnNodes.get(json);
  if (known !== undefined) return known;
  const node = readNode(json);
  drawnNodes.set(json, node);
  return node;
}

/** Returns the nodes of a document by their ids. */
export const nodesById = ({ nodes }: FlowDocument): Map<string, DrawnNode> =>
  new Map(nodes.map((json) => {
    const node = drawnNode(json);
    return [node.id, node];
  }));

/** Returns the state of each input of a node: connected, set, missing or empty. */
function inputStatesOf(json: PlainObject, node: DrawnNode, connected: ReadonlySet<string>): Map<string, InputMark> {
  const formData = objectAt(json, 'data', 'targets_form').form_data;
  const has = (name: string) =>
    isObject(formData)
      ? formData[name] !== undefined
      : node.inputs.length === 1 && formData !== undefined && formData !== null;
  const isLabelled = node.nodeId === 'flow_output';
  return new Map(node.inputs.map(({ id, name, isRequired }) => [
    id,
    connected.has(`${node.id} ${id}`)
      ? 'connected'
      : !isLabelled && has(name)
      ? 'set'
      : isRequired
      ? 'missing'
      : 'empty',
  ]));
}

const sameStates = (a: ReadonlyMap<string, InputMark> | undefined, b: ReadonlyMap<string, InputMark>): boolean =>
  a !== undefined && a.size === b.size && [...b].every(([id, state]) => a.get(id) === state);

/** Returns the nodes in the canvas's form. Unchanged nodes are the same objects as before, and are not drawn again. */
export function viewNodes(
  { document, selected, faults }: EditorState,
  sizes: ReadonlyMap<string, { width: number; height: number }>,
  before: ReadonlyMap<string, GraphNode>,
): GraphNode[] {
  const connected = new Set(document.edges.map((edge) => {
    const { target, targetHandle } = readEdge(edge);
    return `${target} ${targetHandle}`;
  }));
  return document.nodes.map((json): GraphNode => {
    const node = drawnNode(json);
    const former = before.get(node.id);
    const states = inputStatesOf(json, node, connected);
    const inputStates = sameStates(former?.data.inputStates, states) ? former!.data.inputStates! : states;
    const isSelected = selected.has(node.id);
    const nodeFaults = faults.get(node.id);
    // Faults are shown above the ports, so only the drawn node knows the positions of its ports.
    const geometry = nodeFaults === undefined ? nodeGeometry(node) : undefined;
    const measured = sizes.get(node.id) ?? geometry?.measured;
    const isSame = former !== undefined && former.data.json === json && former.selected === isSelected &&
      former.data.inputStates === inputStates && former.data.faults === nodeFaults && former.measured === measured;
    if (isSame) return former;
    return {
      id: node.id,
      type: 'drawn',
      position: readPosition(json) ?? { x: 0, y: 0 },
      selected: isSelected,
      ariaLabel: node.title,
      ...(measured && { measured }),
      ...(geometry && { handles: geometry.handles }),
      data: { json, node, inputStates, ...(nodeFaults && { faults: nodeFaults }) },
    };
  });
}

/** Returns the edges in the canvas's form. Their ids are their indexes in the document. */
export function viewEdges(document: FlowDocument, selectedEdges: ReadonlySet<number>): Edge[] {
  const nodes = nodesById(document);
  const titleOf = (id: string) => nodes.get(id)?.title ?? 'a node that is gone';
  return document.edges.map((json, index) => {
    const edge = readEdge(json);
    return {
      ...edge,
      id: String(index),
      selected: selectedEdges.has(index),
      ariaLabel: `Edge from ${titleOf(edge.source)} to ${titleOf(edge.target)}`,
    };
  });
}
