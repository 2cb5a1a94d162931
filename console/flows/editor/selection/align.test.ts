import { expect, test } from 'vitest';
import { readPosition } from '../../../shared/graph/drawn_node.ts';
import { align, type Alignment } from './align.ts';

const node = (id: string, x: number, y: number) => ({ id, position: { x, y }, data: { sources: [], targets: [] } });
const document = { nodes: [node('a', 0, 10), node('b', 300, 0), node('c', 1_000, 40), node('d', 7, 7)], edges: [] };

test.for<[how: Alignment, places: { x: number; y: number }[]]>([
  ['left', [{ x: 0, y: 10 }, { x: 0, y: 0 }, { x: 0, y: 40 }]],
  ['top', [{ x: 0, y: 0 }, { x: 300, y: 0 }, { x: 1_000, y: 0 }]],
  ['across', [{ x: 0, y: 10 }, { x: 500, y: 0 }, { x: 1_000, y: 40 }]],
])('%s moves only the selected nodes', ([how, places]) => {
  const { nodes } = align(document, new Set(['a', 'b', 'c']), how);
  expect(nodes.map(readPosition)).toEqual([...places, { x: 7, y: 7 }]);
});

test('nodes without room for gaps touch each other', () => {
  const { nodes } = align(document, new Set(['a', 'b', 'd']), 'down');
  const tops = nodes.slice(0, 2).concat(nodes[3]!).map((json) => readPosition(json)!.y).toSorted((a, b) => a - b);
  expect(tops[1]! - tops[0]!).toBe(tops[2]! - tops[1]!);
  expect(tops[1]! - tops[0]!).toBeGreaterThan(0);
});

test('one node stays where it is', () => {
  expect(align(document, new Set(['a']), 'left')).toBe(document);
});
