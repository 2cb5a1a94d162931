import type { Point } from '../../../shared/graph/drawn_node.ts';
import type { GraphNode } from '../../../shared/graph/graph_node.tsx';
import { makeEnds } from '../../../shared/graph/many_edges.ts';
import { type Rect, routeAround } from '../../../shared/graph/route.ts';
import type { RoutedEdge } from '../view.ts';

const sameRoute = (one: readonly Point[], other: readonly Point[]): boolean =>
  one.length === other.length && one.every(({ x, y }, index) => x === other[index]!.x && y === other[index]!.y);

/**
 * Makes the function that leads edges round nodes. For an edge whose route is the same as before, it returns the same
 * object again, so the canvas does not draw the edge again.
 */
export function makeRouting() {
  let before = new Map<string, { plain: RoutedEdge; routed: RoutedEdge }>();
  return (edges: readonly RoutedEdge[], nodes: readonly GraphNode[]): RoutedEdge[] => {
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
    const after = new Map<string, { plain: RoutedEdge; routed: RoutedEdge }>();
    const routed = edges.map((plain): RoutedEdge => {
      const ends = endsOf(plain);
      const route = ends === undefined ? [] : routeAround(
        ends,
        rects.filter(({ id, x }) => x < ends.target.x && id !== plain.source && id !== plain.target),
      );
      const former = before.get(plain.id);
      const isSame = former?.plain === plain && sameRoute(former.routed.data?.route ?? [], route);
      const edge = isSame ? former.routed : route.length === 0 ? plain : { ...plain, data: { ...plain.data!, route } };
      after.set(plain.id, { plain, routed: edge });
      return edge;
    });
    before = after;
    return routed;
  };
}
