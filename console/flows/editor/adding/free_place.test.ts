import { expect, it } from 'vitest';
import { freePlace } from './free_place.ts';

const node = (id: string, y: number, inputs: string[]) => ({
  id,
  position: { x: 0, y },
  data: { node_id: 'n', sources: [], targets: inputs.map((name) => ({ id: `${id} ${name}`, name })) },
});

it('a new node is below the ports that a node shows because they have edges', () => {
  const nodes = [node('source', -900, []), node('target', 0, ['a', 'b', 'c', 'd', 'e', 'f'])];
  const wanted = { x: 0, y: 100 };
  const without = freePlace({ nodes, edges: [] }, wanted, 90);
  const edges = ['a', 'b', 'c', 'd'].map((name) => ({
    source: 'source',
    sourceHandle: 'o',
    target: 'target',
    targetHandle: `target ${name}`,
  }));
  const withEdges = freePlace({ nodes, edges }, wanted, 90);
  expect(withEdges.y - without.y).toBe(4 * 26);
  expect(freePlace({ nodes, edges }, { x: 400, y: 100 }, 90)).toEqual({ x: 400, y: 100 });
});
