import { expect, test } from 'vitest';
import { nodesInScope } from './reach.ts';

const edge = (source: string, target: string) => ({ source, target });

test('the nodes before and after a node are those that edges connect with it', () => {
  const document = {
    nodes: ['a', 'b', 'c', 'd', 'alone'].map((id) => ({ id })),
    edges: [edge('a', 'b'), edge('b', 'c'), edge('b', 'd'), edge('a', 'd'), edge('d', 'gone')],
  };
  expect([...nodesInScope(document, 'b', 'this node')]).toEqual(['b']);
  expect([...nodesInScope(document, 'c', 'to here')].toSorted()).toEqual(['a', 'b', 'c']);
  expect([...nodesInScope(document, 'b', 'from here')].toSorted()).toEqual(['b', 'c', 'd']);
});
