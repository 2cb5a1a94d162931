import { expect, test } from 'vitest';
import { layOutInColumns } from './layout_in_columns.ts';
import { NODE_WIDTH } from './node_size.ts';

const task = (count: number, edges: [source: number, target: number][]) => ({
  nodes: Array.from({ length: count }, (_, index) => ({ id: `n${index}`, height: 50 + 10 * (index % 7) })),
  edges: edges.map(([source, target]) => ({ source: `n${source}`, target: `n${target}` })),
});

test('edges lead from left to right, and no two nodes of a large, dense graph overlap', () => {
  const count = 1_000;
  const edges = Array.from({ length: 5 * count }, (_, index): [number, number] => {
    const target = 1 + index % (count - 1);
    return [(index * 7919) % target, target];
  });
  const graph = task(count, edges);
  const places = layOutInColumns(graph);
  expect(places.size).toBe(count);
  for (const { source, target } of graph.edges) {
    expect(places.get(target)!.x).toBeGreaterThanOrEqual(places.get(source)!.x + NODE_WIDTH);
  }
  const placed = graph.nodes.map(({ id, height }) => ({ ...places.get(id)!, height }))
    .sort((a, b) => a.x - b.x || a.y - b.y);
  for (const [index, { x, y, height }] of placed.entries()) {
    const next = placed[index + 1];
    if (next?.x === x) expect(next.y).toBeGreaterThanOrEqual(y + height);
  }
});

test('cycles, edges of a node to itself and duplicate edges get positions, too', () => {
  const places = layOutInColumns(task(5, [[0, 1], [1, 2], [2, 0], [2, 3], [2, 3], [4, 4]]));
  expect(new Set([...places.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(5);
  expect(places.get('n3')!.x).toBeGreaterThan(places.get('n2')!.x);
});
