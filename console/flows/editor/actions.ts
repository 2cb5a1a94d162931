import { type DrawnEdge, readEdge } from '../../shared/graph/drawn_node.ts';
import { focusUnreadable } from '../../shared/form/unreadable_texts.ts';
import { copyPart, readPart, selectedPart } from './clipboard.ts';
import { findEnds, makeRefusal } from './edge_refusals.ts';
import type { EditorStore } from './editor_store.ts';
import { type FlowDocument, makeEdge, nodeIdOf, removeNodes } from './flow_document.ts';
import { makeGroup, membersOf } from './notes/annotations.ts';
import { nodesById } from './view.ts';

/** Removes the selected nodes and edges. */
export function removeSelected(store: EditorStore): void {
  const { selected, selectedEdges } = store.state();
  if (selected.size === 0 && selectedEdges.size === 0) return;
  store.change((document) =>
    removeNodes({ ...document, edges: document.edges.filter((_, index) => !selectedEdges.has(index)) }, selected)
  );
  store.select(new Set());
}

/** Adds a part to the flow, with new ids, and selects it. */
function insertPart(store: EditorStore, part: FlowDocument): void {
  const copy = copyPart(part);
  store.change((document) => ({
    nodes: [...document.nodes, ...copy.nodes],
    edges: [...document.edges, ...copy.edges],
  }));
  store.select(new Set(copy.nodes.map(nodeIdOf)));
}

/** Returns the selected nodes as a text for the clipboard; undefined if none is selected. */
export function copyText(store: EditorStore): string | undefined {
  const { document, selected } = store.state();
  return selected.size === 0 ? undefined : JSON.stringify(selectedPart(document, selected));
}

/** Adds the nodes in a text of the clipboard. Returns true if it contained nodes. */
export function pasteText(store: EditorStore, text: string): boolean {
  const part = readPart(text);
  if (part !== undefined) insertPart(store, part);
  return part !== undefined;
}

export function duplicateSelected(store: EditorStore): void {
  const { document, selected } = store.state();
  if (selected.size > 0) insertPart(store, selectedPart(document, selected));
}

/**
 * Puts a frame around the selected nodes, and selects the frame. If the user moves the frame, the nodes move with it.
 */
export function groupSelected(store: EditorStore): void {
  const { document, selected } = store.state();
  const members = document.nodes.filter((node) => selected.has(nodeIdOf(node)) && membersOf(node) === undefined);
  if (members.length === 0) return;
  const group = makeGroup(members.map(nodeIdOf));
  store.change((current) => ({ ...current, nodes: [...current.nodes, group] }));
  store.select(new Set([nodeIdOf(group)]));
}

/** Returns the reason why an edge may not be drawn; undefined if the edge is allowed. */
export function whyRefused(store: EditorStore, edge: DrawnEdge): string | undefined {
  const { document } = store.state();
  const ends = findEnds(edge, nodesById(document));
  if (ends === undefined) return 'An edge leads from an output to an input.';
  return makeRefusal(document.edges.map(readEdge))(ends.start, ends.target, ends.input);
}

/** Draws an edge, or shows why it may not be drawn. */
export function connect(store: EditorStore, edge: DrawnEdge): void {
  const reason = whyRefused(store, edge);
  if (reason !== undefined) return store.tell(reason);
  store.change((document) => ({ ...document, edges: [...document.edges, makeEdge(edge)] }));
}

/** Removes the edges that lead into an input. */
export const disconnect = (store: EditorStore, target: string, targetHandle: string): void =>
  store.change((document) => ({
    ...document,
    edges: document.edges.filter((json) => {
      const edge = readEdge(json);
      return edge.target !== target || edge.targetHandle !== targetHandle;
    }),
  }));

/**
 * Returns true if the panel has a text that can not be read, so that a run or a deploy would lack it. Then moves the
 * focus to the text and says so.
 */
export function refuseUnreadable(store: EditorStore): boolean {
  const isRefused = focusUnreadable(store.unreadable);
  if (isRefused) store.tell('The marked field of the node can not be read.');
  return isRefused;
}
