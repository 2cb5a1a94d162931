import type { Edge } from '@xyflow/react';
import { useMemo, useState } from 'react';
import { MANY_EDGES } from '../../../shared/graph/many_edges.ts';
import { makeRouting } from '../../../shared/graph/routes/route_edges.ts';
import { useExpanded } from '../../../shared/graph/use_expanded.ts';
import { useEditorState } from '../editor_context.tsx';
import { makeEdgeView, makeNodeView, type RoutedEdge } from '../view.ts';

const NO_EDGES: Edge[] = [];

/** Returns the nodes and edges of the document in the form of the canvas. */
export function useDrawing() {
  const { document, selected, selectedEdges, faults, problems } = useEditorState();
  const [expanded, toggle] = useExpanded();
  const [viewNodes] = useState(makeNodeView);
  const [viewEdges] = useState(makeEdgeView);
  // The canvas's nodes and edges depend only on these parts of the state.
  const nodes = useMemo(() => viewNodes({ document, selected, faults, problems }, expanded), [
    viewNodes,
    document,
    selected,
    faults,
    problems,
    expanded,
  ]);
  const edges = useMemo(() => viewEdges({ document, selected, selectedEdges }), [
    viewEdges,
    document,
    selected,
    selectedEdges,
  ]);
  const hasMany = edges.length > MANY_EDGES;
  const [routeEdges] = useState(makeRouting<RoutedEdge>);
  const routed = useMemo(() => hasMany ? NO_EDGES : routeEdges(edges, nodes), [hasMany, routeEdges, edges, nodes]);
  return {
    nodes,
    /** All edges. */
    edges,
    /** The edges that React Flow draws, round nodes; none if `EdgeLayer` draws them. */
    routed,
    hasMany,
    /** Shows all ports of a node, or hides its optional unused ports again. */
    toggle,
  };
}
