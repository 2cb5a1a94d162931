import { BaseEdge, type Edge, type EdgeProps } from '@xyflow/react';
import { memo } from 'react';
import { pathOf } from './edge_path.ts';
import type { RouteData } from './route_edges.ts';

/** An edge of a graph that can only be read. It goes round the nodes between its ends. */
const RoutedEdge = memo(function RoutedEdge(props: EdgeProps<Edge<RouteData>>) {
  const [path] = pathOf(props);
  return <BaseEdge path={path} />;
});

/** The component for each kind of edge, in the form that the canvas needs. */
export const routedEdgeTypes = { default: RoutedEdge };
