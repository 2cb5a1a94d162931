import { type Edge, type EdgeChange, type NodeChange, useReactFlow } from '@xyflow/react';
import { type KeyboardEvent, type MouseEvent, useCallback } from 'react';
import type { Point } from '../../../shared/graph/drawn_node.ts';
import type { GraphNode } from '../../../shared/graph/graph_node.tsx';
import { edgeNear } from '../../../shared/graph/many_edges.ts';
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

/**
 * The greatest distance in pixels at which a click selects an edge. It is used only if `EdgeLayer` draws the edges,
 * because React Flow detects clicks on its own edges.
 */
const NEAR = 10;

/** Stores which edges are selected when React Flow changes it, and when the user clicks near an edge of `EdgeLayer`. */
export function useEdgeSelection(nodes: readonly GraphNode[], edges: readonly Edge[]) {
  const { store } = useEditor();
  const { screenToFlowPosition, getZoom } = useReactFlow();
  const onEdgesChange = useCallback((changes: EdgeChange[]) => {
    const chosen = new Set(store.state().selectedEdges);
    for (const change of changes) {
      if (change.type !== 'select') continue;
      if (change.selected) chosen.add(Number(change.id));
      else chosen.delete(Number(change.id));
    }
    store.select(store.state().selected, chosen);
  }, [store]);
  const selectNear = (event: MouseEvent) => {
    const at = screenToFlowPosition({ x: event.clientX, y: event.clientY });
    const edge = edgeNear(edges, nodes, at, NEAR / getZoom());
    if (edge !== undefined || store.state().selectedEdges.size > 0) {
      store.select(new Set(), new Set(edge === undefined ? [] : [Number(edge.id)]));
    }
  };
  return { onEdgesChange, selectNear };
}

/** Enter on a node, which selects the node, leads to the first field of its panel. */
export function enterPanel({ key, target }: KeyboardEvent): void {
  const isNode = target instanceof HTMLElement && target.classList.contains('react-flow__node');
  if (key === 'Enter' && isNode && target.dataset.id !== undefined) focusFirstField(target.dataset.id);
}
