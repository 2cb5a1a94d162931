import type { ReactFlowInstance } from '@xyflow/react';
import type { GraphNode } from './graph_node.tsx';

/** The smallest zoom at which all nodes are shown. */
const MIN_ZOOM = 0.15;

/**
 * Moves the view so that all nodes are visible. The canvas's own property waits for the size of a visible node, and
 * there is none if all nodes are far from the origin.
 */
export const showAll = ({ fitView }: Pick<ReactFlowInstance<GraphNode>, 'fitView'>): void =>
  void fitView({ minZoom: MIN_ZOOM });
