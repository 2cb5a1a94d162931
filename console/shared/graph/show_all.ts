import type { FitViewOptions, ReactFlowInstance } from '@xyflow/react';
import type { GraphNode } from './graph_node.tsx';

/** The smallest zoom of a canvas: 1,000 nodes in a row fit on a narrow screen. */
export const MIN_ZOOM = 0.001;

/** A view of the whole graph, in which no node is larger than at its own size. */
export const WHOLE_GRAPH: FitViewOptions<GraphNode> = { minZoom: MIN_ZOOM, maxZoom: 1 };

/**
 * Moves the view so that all nodes are visible. The canvas's own property waits for the size of a visible node, and
 * there is none if all nodes are far from the origin.
 */
export const showAll = ({ fitView }: Pick<ReactFlowInstance<GraphNode>, 'fitView'>): void => void fitView(WHOLE_GRAPH);
