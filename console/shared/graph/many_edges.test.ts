import { expect, test } from 'vitest';
import { readNode } from './drawn_node.ts';
import { nodeGeometry } from './geometry.ts';
import type { GraphNode } from './graph_node.tsx';
import { edgeNear, makeEnds, pathOfAll } from './many_edges.ts';
import { NO_LINES } from './node_size.ts';
import { NO_PORTS, shownPorts } from './shown_ports.ts';

function graphNode(id: string, x: number, y: number): GraphNode {
  const node = readNode({
    id,
    data: { node_id: 'n', sources: [{ name: 'o' }], targets: [{ name: 'i', required: true }] },
  });
  const shown = shownPorts(node, NO_PORTS);
  const geometry = nodeGeometry(shown, NO_LINES);
  return { id, type: 'drawn', position: { x, y }, ...geometry, data: { node, shown, handles: geometry.handles } };
}

test('one path has all edges whose ports are drawn, and a point finds the nearest edge', () => {
  const nodes = [graphNode('a', 0, 0), graphNode('b', 500, 0), graphNode('c', 500, 400)];
  const edge = (id: string, target: string, targetHandle = 'i') => ({
    id,
    source: 'a',
    sourceHandle: 'o',
    target,
    targetHandle,
  });
  const edges = [edge('0', 'b'), edge('1', 'c'), edge('2', 'c', 'none')];
  const path = pathOfAll(edges, makeEnds(nodes));
  expect(path.match(/M/g)).toHaveLength(2);
  const ends = makeEnds(nodes)(edges[1]!)!;
  // The middle of a curve is half-way between its two ends.
  const middle = { x: (ends.source.x + ends.target.x) / 2, y: (ends.source.y + ends.target.y) / 2 };
  expect(edgeNear(edges, nodes, middle, 10)?.id).toBe('1');
  expect(edgeNear(edges, nodes, { x: 250, y: -300 }, 10)).toBeUndefined();

  const far = [graphNode('a', 0, 0), graphNode('far', 9_000, 0)];
  const long = [edge('3', 'far')];
  const { source, target } = makeEnds(far)(long[0]!)!;
  const beside = { x: (source.x + target.x) / 2 + 150, y: (source.y + target.y) / 2 };
  expect(edgeNear(long, far, beside, 10)?.id).toBe('3');
});
