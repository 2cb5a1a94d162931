import type { ReactFlowInstance } from '@xyflow/react';
import type { GraphNode } from './graph_node.tsx';

/** How small nodes become so that all can be seen. */
const MIN_ZOOM = 0.15;

/**
 * Moves the view so that all nodes are in it. The canvas' own property for that waits for the size of a node that is in
 * view, which none is where all stand far from the beginning.
 */
export const showAll = ({ fitView }: Pick<ReactFlowInstance<GraphNode>, 'fitView'>): void =>
  void fitView({ minZoom: MIN_ZOOM });
