import type { Edge } from '@xyflow/react';
import type { Point } from '../drawn_node.ts';
import type { GraphNode } from '../graph_node.tsx';
import { makeEnds } from '../many_edges.ts';
import { type Rect, routeAround } from './route.ts';

/** The data of an edge. `route` has the points through which the edge goes round nodes. */
export interface RouteData extends Record<string, unknown> {
  route?: readonly Point[];
}

const sameRoute = (one: readonly Point[], other: readonly Point[]): boolean =>
  one.length === other.length && one.every(({ x, y }, index) => x === other[index]!.x && y === other[index]!.y);

/**
 * Makes the function that leads edges round nodes. For an edge whose route is the same as before, it returns the same
 * object again, so the canvas does not draw the edge again.
 */
export function makeRouting<Kind extends Edge<RouteData>>() {
  let before = new Map<string, { plain: Kind; routed: Kind }>();
  return (edges: readonly Kind[], nodes: readonly GraphNode[]): Kind[] => {
    const endsOf = makeEnds(nodes);
    // Edges may cross notes and frames.
    const rects = nodes.filter(({ type }) => type === 'drawn').map((
      { id, position, measured },
    ): Rect & { id: string } => ({
      id,
      ...position,
      width: measured?.width ?? 0,
      height: measured?.height ?? 0,
    }));
    const after = new Map<string, { plain: Kind; routed: Kind }>();
    const routed = edges.map((plain): Kind => {
      const ends = endsOf(plain);
      const route = ends === undefined ? [] : routeAround(
        ends,
        rects.filter(({ id, x }) => x < ends.target.x && id !== plain.source && id !== plain.target),
      );
      const former = before.get(plain.id);
      const isSame = former?.plain === plain && sameRoute(former.routed.data?.route ?? [], route);
      const edge = isSame ? former.routed : route.length === 0 ? plain : { ...plain, data: { ...plain.data, route } };
      after.set(plain.id, { plain, routed: edge });
      return edge;
    });
    before = after;
    return routed;
  };
}
