import { expect, test } from 'vitest';
import { readPosition } from '../../../shared/graph/drawn_node.ts';
import { copyPart } from '../clipboard.ts';
import { nodeIdOf } from '../flow_document.ts';
import { frameOf, makeGroup, membersOf, moveWithGroups } from './annotations.ts';

const node = (id: string, x: number, y: number) => ({ id, position: { x, y }, data: { sources: [], targets: [] } });
const group = makeGroup(['a', 'b']);
const document = { nodes: [node('a', 0, 0), node('b', 300, 100), node('c', 900, 0), group], edges: [] };

test('the frame of a group surrounds its nodes, and moves with them', () => {
  const { x, y, width } = frameOf(document, group);
  expect({ x, width }).toEqual({ x: -20, width: 300 + 240 + 40 });
  const moved = moveWithGroups(document, new Map([[nodeIdOf(group), { x: x + 5, y: y + 7 }]]));
  expect(moved.nodes.slice(0, 3).map(readPosition)).toEqual([{ x: 5, y: 7 }, { x: 305, y: 107 }, { x: 900, y: 0 }]);
  expect(frameOf(moved, group)).toMatchObject({ x: x + 5, y: y + 7 });
});

test('if a group and one of its nodes both get a position, the node has its own', () => {
  const places = new Map([[nodeIdOf(group), { x: 0, y: 0 }], ['a', { x: 50, y: 50 }]]);
  expect(readPosition(moveWithGroups(document, places).nodes[0])).toEqual({ x: 50, y: 50 });
});

test('a copied group has the copied nodes', () => {
  const { nodes } = copyPart(document);
  expect(membersOf(nodes[3]!)).toEqual(nodes.slice(0, 2).map(nodeIdOf));
});
