import type { Point } from '../drawn_node.ts';

export interface Rect extends Point {
  width: number;
  height: number;
}

/** The ends of an edge: an edge leaves its source to the right, and reaches its target from the left. */
export interface Ends {
  source: Point;
  target: Point;
}

/** The distance that a route keeps from nodes. */
const MARGIN = 12;
/** The number of straight lines that stand for a curve. */
const LINES = 24;

/** The distance of a curve's control point from the end of the curve, by React Flow's formula. */
const reach = (distance: number): number => distance >= 0 ? 0.5 * distance : 0.25 * 25 * Math.sqrt(-distance);

/** Returns points on the curve that React Flow draws between the ends of an edge. */
export function pointsOnCurve({ source, target }: Ends): Point[] {
  const out = reach(target.x - source.x);
  const on = (t: number, a: number, b: number, c: number, d: number) => {
    const u = 1 - t;
    return u ** 3 * a + 3 * u * u * t * b + 3 * u * t * t * c + t ** 3 * d;
  };
  return Array.from({ length: LINES + 1 }, (_, step) => ({
    x: on(step / LINES, source.x, source.x + out, target.x - out, target.x),
    y: on(step / LINES, source.y, source.y, target.y, target.y),
  }));
}

export const isInside = ({ x, y }: Point, rect: Rect, margin = 0): boolean =>
  x > rect.x - margin && x < rect.x + rect.width + margin && y > rect.y - margin && y < rect.y + rect.height + margin;

/** A stretch along one axis. */
interface Stretch {
  from: number;
  to: number;
}

/** Joins stretches that overlap, in their order. */
function joined(stretches: readonly Stretch[]): Stretch[] {
  const result: Stretch[] = [];
  for (const { from, to } of stretches.toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else result.push({ from, to });
  }
  return result;
}

/** Returns the free place nearest to the wanted one. */
function freePlace(wanted: number, taken: readonly Stretch[]): number {
  const around = joined(taken).find(({ from, to }) => wanted > from && wanted < to);
  if (around === undefined) return wanted;
  return wanted - around.from < around.to - wanted ? around.from : around.to;
}

/**
 * Returns the points through which an edge has to go so that it crosses no node; none if the plain curve crosses none.
 * Each column of nodes between the ends is passed in a straight line, above, below or between its nodes. `nodes` does
 * not contain the two nodes of the edge.
 */
export function routeAround({ source, target }: Ends, nodes: readonly Rect[]): Point[] {
  const between = nodes.filter(({ x, width }) => x < target.x && x + width > source.x);
  if (between.length === 0 || target.x <= source.x) return [];
  const curve = pointsOnCurve({ source, target });
  if (!between.some((rect) => curve.some((point) => isInside(point, rect, MARGIN / 2)))) return [];
  const columns = joined(between.map(({ x, width }) => ({ from: x - MARGIN, to: x + width + MARGIN })));
  let before = source;
  return columns.flatMap(({ from, to }) => {
    const inColumn = between.filter(({ x }) => x >= from && x <= to);
    const taken = inColumn.map(({ y, height }) => ({ from: y - MARGIN, to: y + height + MARGIN }));
    const [start, end] = [Math.max(from, source.x), Math.min(to, target.x)];
    const part = (start - before.x) / (target.x - before.x || 1);
    const y = freePlace(before.y + part * (target.y - before.y), taken);
    before = { x: end, y };
    return [{ x: start, y }, before];
  });
}

/** Returns the path of an edge through the points of its route. */
export function pathThrough({ source, target }: Ends, route: readonly Point[]): string {
  let before = source;
  const parts = [...route, target].map((next) => {
    const half = (next.x - before.x) / 2;
    const part = next.y === before.y
      ? `L${next.x},${next.y}`
      : `C${before.x + half},${before.y} ${next.x - half},${next.y} ${next.x},${next.y}`;
    before = next;
    return part;
  });
  return `M${source.x},${source.y}${parts.join('')}`;
}
