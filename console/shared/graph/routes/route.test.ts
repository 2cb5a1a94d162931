import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readEdge, readNode } from '../drawn_node.ts';
import { nodeGeometry } from '../geometry.ts';
import { layOutByDagre } from '../layout_worker.ts';
import type { GraphNode } from '../graph_node.tsx';
import { makeEnds } from '../many_edges.ts';
import { nodeHeight } from '../node_size.ts';
import { type Ends, isInside, pathThrough, pointsOnCurve, type Rect, routeAround } from './route.ts';
import { connectedPorts, shownPorts } from '../shown_ports.ts';

const TEMPLATES = 'docs/templates';

/** Returns points on an edge with its route. Between two points of the route it is a curve of the same form. */
function pointsOf({ source, target }: Ends, nodes: readonly Rect[]) {
  const route = routeAround({ source, target }, nodes);
  if (route.length === 0) return pointsOnCurve({ source, target });
  let before = source;
  return [...route, target].flatMap((next) => {
    const points = pointsOnCurve({ source: before, target: next });
    before = next;
    return points;
  });
}

/** Lays a flow out, as the button does, and returns its edges that cross a node. */
function crossings(flow: { nodes: unknown[]; edges: unknown[] }, isRouted: boolean): string[] {
  const drawn = flow.nodes.map(readNode);
  const edges = flow.edges.map(readEdge);
  const connected = connectedPorts(edges);
  const places = layOutByDagre({
    nodes: drawn.map((node) => ({ id: node.id, height: nodeHeight(node, connected) })),
    edges,
  });
  const nodes = drawn.map((node): GraphNode => {
    const shown = shownPorts(node, connected);
    const geometry = nodeGeometry(shown, { hasState: false, hasFaults: false });
    return {
      id: node.id,
      type: 'drawn',
      position: places.get(node.id)!,
      ...geometry,
      data: { node, shown, handles: geometry.handles },
    };
  });
  const rects = nodes.map(({ id, position, measured }) => ({
    id,
    ...position,
    width: measured!.width!,
    height: measured!.height!,
  }));
  const endsOf = makeEnds(nodes);
  return edges.flatMap((edge) => {
    const ends = endsOf({ ...edge, id: '' });
    if (ends === undefined) return [];
    const others = rects.filter(({ id }) => id !== edge.source && id !== edge.target);
    const points = isRouted ? pointsOf(ends, others) : pointsOnCurve(ends);
    return others.filter((rect) => points.some((point) => isInside(point, rect)))
      .map(({ id }) => `${edge.source} to ${edge.target} crosses ${id}`);
  });
}

it.each(readdirSync(TEMPLATES))('no edge of %s crosses a node after the layout', (file) => {
  const flow = JSON.parse(readFileSync(`${TEMPLATES}/${file}`, 'utf8'));
  expect(flow.nodes.length).toBeGreaterThan(2);
  expect(crossings(flow, true)).toEqual([]);
});

it('edges would cross nodes without their routes', () => {
  const flows = readdirSync(TEMPLATES).map((file) => JSON.parse(readFileSync(`${TEMPLATES}/${file}`, 'utf8')));
  expect(flows.flatMap((flow) => crossings(flow, false)).length).toBeGreaterThan(0);
});

const ends = { source: { x: 0, y: 50 }, target: { x: 600, y: 50 } };

it('an edge passes each column at its nearest free place', () => {
  const near = { x: 100, y: 0, width: 100, height: 80 };
  const far = { x: 300, y: 30, width: 100, height: 300 };
  expect(routeAround(ends, [near, far])).toEqual([
    { x: 88, y: 92 },
    { x: 212, y: 92 },
    { x: 288, y: 18 },
    { x: 412, y: 18 },
  ]);
  const path = pathThrough(ends, routeAround(ends, [near, far]));
  expect(path).toMatch(/^M0,50C.*L212,92C.*L412,18C.* 600,50$/);
});

it('an edge without nodes in its way, or to a node on its left, has no route', () => {
  expect(routeAround(ends, [{ x: 100, y: 200, width: 100, height: 80 }])).toEqual([]);
  expect(routeAround({ source: ends.target, target: ends.source }, [{ x: 100, y: 0, width: 100, height: 80 }]))
    .toEqual([]);
});
