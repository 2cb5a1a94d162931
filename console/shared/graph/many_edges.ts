import { type Edge, getBezierPath, Position } from '@xyflow/react';
import type { Point } from './drawn_node.ts';
import type { GraphNode } from './graph_node.tsx';
import { type Ends, pointsOnCurve } from './routes/route.ts';

/**
 * If a graph has more edges than this, `EdgeLayer` draws them as a few paths. React Flow would compute the position of
 * each edge again in every frame in which the view moves, which would be slow.
 */
export const MANY_EDGES = 400;

/** Makes a function that returns the ends of an edge; undefined if a port of the edge is not drawn. */
export function makeEnds(nodes: readonly GraphNode[]): (edge: Edge) => Ends | undefined {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const endOf = (nodeId: string, handleId: string | null | undefined, type: 'source' | 'target') => {
    const node = byId.get(nodeId);
    const handle = node?.data.handles.find((one) => one.id === handleId && one.type === type);
    if (node === undefined || handle === undefined) return undefined;
    const { width = 0, height = 0 } = handle;
    const x = node.position.x + handle.x + (type === 'source' ? width : 0);
    return { x, y: node.position.y + handle.y + height / 2 };
  };
  return ({ source, sourceHandle, target, targetHandle }) => {
    const [from, to] = [endOf(source, sourceHandle, 'source'), endOf(target, targetHandle, 'target')];
    return from && to && { source: from, target: to };
  };
}

/** Returns one path for all edges. Each edge has the same curve as in React Flow. */
export function pathOfAll(edges: readonly Edge[], endsOf: (edge: Edge) => Ends | undefined): string {
  const paths: string[] = [];
  for (const edge of edges) {
    const ends = endsOf(edge);
    if (ends === undefined) continue;
    const { source, target } = ends;
    paths.push(
      getBezierPath({
        sourceX: source.x,
        sourceY: source.y,
        sourcePosition: Position.Right,
        targetX: target.x,
        targetY: target.y,
        targetPosition: Position.Left,
      })[0],
    );
  }
  return paths.join('');
}

/** Returns the squared distance of a point from the straight line between two others. */
function distanceToLine(at: Point, from: Point, to: Point): number {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const along = ((at.x - from.x) * dx + (at.y - from.y) * dy) / (dx * dx + dy * dy || 1);
  const part = Math.min(1, Math.max(0, along));
  return (from.x + part * dx - at.x) ** 2 + (from.y + part * dy - at.y) ** 2;
}

/** Returns the squared distance of a point from an edge. */
function distanceTo(at: Point, ends: Ends): number {
  let before = ends.source;
  return Math.min(
    ...pointsOnCurve(ends).map((next) => {
      const distance = distanceToLine(at, before, next);
      before = next;
      return distance;
    }),
  );
}

/** Finds the edge nearest to a point; undefined if no edge is within the distance. */
export function edgeNear(
  edges: readonly Edge[],
  nodes: readonly GraphNode[],
  at: Point,
  distance: number,
): Edge | undefined {
  const endsOf = makeEnds(nodes);
  let nearest: Edge | undefined;
  let least = distance ** 2;
  for (const edge of edges) {
    const ends = endsOf(edge);
    const far = ends === undefined ? Infinity : distanceTo(at, ends);
    if (far > least) continue;
    [nearest, least] = [edge, far];
  }
  return nearest;
}
