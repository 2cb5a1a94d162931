import { expect, test } from 'vitest';
import { moveNode } from '../../flow_document.ts';
import { isSameGraph } from './started_runs.ts';

test('a graph whose nodes were only moved is the same graph', () => {
  const data = { node_id: 'wait' };
  const edge = { source: 'a', target: 'a' };
  const document = { nodes: [{ id: 'a', data, position: { x: 0, y: 0 } }], edges: [edge] };
  const moved = { nodes: document.nodes.map((node) => moveNode(node, { x: 9, y: 9 })), edges: [edge] };
  expect(isSameGraph(document, moved)).toBe(true);
  expect(isSameGraph(document, { ...document, nodes: [{ id: 'a', data: { ...data } }] })).toBe(false);
  expect(isSameGraph(document, { ...document, edges: [] })).toBe(false);
});
