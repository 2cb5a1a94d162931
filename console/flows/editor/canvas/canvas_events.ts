import { type EdgeChange, type NodeChange, useReactFlow } from '@xyflow/react';
import { type KeyboardEvent, type MouseEvent, useCallback } from 'react';
import { type Point, readEdge } from '../../../shared/graph/drawn_node.ts';
import type { GraphNode } from '../../../shared/graph/graph_node.tsx';
import { edgeNear, MANY_EDGES } from '../../../shared/graph/many_edges.ts';
import { useEditor } from '../editor_context.tsx';
import { focusFirstField } from '../layout/focus_node.ts';
import { moveWithGroups } from '../notes/annotations.ts';

/**
 * Stores the positions and the selection of nodes when the canvas changes them. If `EdgeLayer` draws the edges, React
 * Flow can't unselect edges, so this function unselects them when the user selects a node.
 */
export function useNodeChanges(drawsOwnEdges: boolean) {
  const { store } = useEditor();
  return useCallback((changes: NodeChange<GraphNode>[]) => {
    const places = new Map<string, Point>();
    const selected = new Set(store.state().selected);
    let isDragging = false;
    for (const change of changes) {
      if (change.type === 'position' && change.position) {
        places.set(change.id, change.position);
        isDragging ||= change.dragging === true;
      } else if (change.type === 'select') {
        if (change.selected) selected.add(change.id);
        else selected.delete(change.id);
      }
    }
    if (changes.some(({ type }) => type === 'select')) {
      const isUnselecting = drawsOwnEdges && changes.some((change) => change.type === 'select' && change.selected);
      store.select(selected, isUnselecting ? new Set() : store.state().selectedEdges);
    }
    if (places.size > 0) store[isDragging ? 'preview' : 'change']((document) => moveWithGroups(document, places));
  }, [store, drawsOwnEdges]);
}

/** The greatest distance in pixels at which a click selects an edge. */
const NEAR = 10;

/**
 * Returns a function that finds the index of the edge near a place in the window. It finds only edges that `EdgeLayer`
 * draws, because React Flow detects clicks on its own edges.
 */
export function useEdgeNear(): (at: Point) => number | undefined {
  const { store } = useEditor();
  const { screenToFlowPosition, getZoom, getNodes } = useReactFlow<GraphNode>();
  return (at) => {
    const edges = store.state().document.edges.map((json, index) => ({ id: String(index), ...readEdge(json) }));
    if (edges.length <= MANY_EDGES) return undefined;
    const edge = edgeNear(edges, getNodes(), screenToFlowPosition(at), NEAR / getZoom());
    return edge && Number(edge.id);
  };
}

/** Stores which edges are selected when React Flow changes it, and when the user clicks near an edge of `EdgeLayer`. */
export function useEdgeSelection() {
  const { store } = useEditor();
  const edgeNear = useEdgeNear();
  const onEdgesChange = useCallback((changes: EdgeChange[]) => {
    const chosen = new Set(store.state().selectedEdges);
    for (const change of changes) {
      if (change.type !== 'select') continue;
      if (change.selected) chosen.add(Number(change.id));
      else chosen.delete(Number(change.id));
    }
    store.select(store.state().selected, chosen);
  }, [store]);
  const selectNear = ({ clientX, clientY }: MouseEvent) => {
    const edge = edgeNear({ x: clientX, y: clientY });
    if (edge !== undefined || store.state().selectedEdges.size > 0) {
      store.select(new Set(), new Set(edge === undefined ? [] : [edge]));
    }
  };
  return { onEdgesChange, selectNear };
}

/** Enter on a node, which selects the node, leads to the first field of its panel. */
export function enterPanel(event: KeyboardEvent): void {
  const { key, target } = event;
  const isNode = target instanceof HTMLElement && target.classList.contains('react-flow__node');
  if (key !== 'Enter' || !isNode || target.dataset.id === undefined) return;
  // Otherwise, the key would also begin a line in the field that gets the focus.
  event.preventDefault();
  focusFirstField(target.dataset.id);
}
