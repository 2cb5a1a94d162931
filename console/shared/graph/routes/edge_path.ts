import { type Edge, type EdgeProps, getBezierPath } from '@xyflow/react';
import { pathThrough } from './route.ts';
import type { RouteData } from './route_edges.ts';

/** The path of an edge and its middle: the curve of React Flow, or a way round the nodes between its ends. */
export function pathOf(props: EdgeProps<Edge<RouteData>>): [path: string, x: number, y: number] {
  const route = props.data?.route ?? [];
  if (route.length === 0) {
    const [path, x, y] = getBezierPath(props);
    return [path, x, y];
  }
  const { sourceX, sourceY, targetX, targetY } = props;
  const ends = { source: { x: sourceX, y: sourceY }, target: { x: targetX, y: targetY } };
  const middle = Math.floor((route.length - 1) / 2);
  const [from, to] = [route[middle]!, route[middle + 1] ?? route[middle]!];
  return [pathThrough(ends, route), (from.x + to.x) / 2, (from.y + to.y) / 2];
}
