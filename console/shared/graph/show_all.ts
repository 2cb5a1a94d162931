import type { FitViewOptions, ReactFlowInstance } from '@xyflow/react';
import type { GraphNode } from './graph_node.tsx';

/** The smallest zoom of a canvas: 1,000 nodes in a row fit on a narrow screen. */
export const MIN_ZOOM = 0.001;

/** The view of the whole graph. It never enlarges nodes beyond their own size. */
export const WHOLE_GRAPH: FitViewOptions<GraphNode> = { minZoom: MIN_ZOOM, maxZoom: 1 };

/** The same view, with room for the results of a run: the values right of nodes, states above and errors below them. */
const WITH_RESULTS: FitViewOptions<GraphNode> = {
  ...WHOLE_GRAPH,
  padding: { left: '5%', right: '15%', top: '8%', bottom: '12%' },
};

/**
 * Moves the view so that all nodes are visible. The property `fitView` of the canvas would wait until a visible node is
 * measured, which never happens if all nodes are far from the origin.
 */
export const showAll = ({ fitView }: Pick<ReactFlowInstance<GraphNode>, 'fitView'>, hasResults = false): void =>
  void fitView(hasResults ? WITH_RESULTS : WHOLE_GRAPH);
