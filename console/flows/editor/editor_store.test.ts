import { describe, expect, it } from 'vitest';
import { connect, duplicateSelected, pasteText, removeSelected } from './actions.ts';
import { makeEditorStore } from './editor_store.ts';
import { type FlowDocument, moveNodes, nodeIdOf, placeNodes } from './flow_document.ts';

const SETTINGS = {
  name: '',
  description: '',
  environment: {},
  chain_network: { url: 'https://api.devnet.solana.com', cluster: 'devnet' },
  instructions_bundling: 'Off',
  is_public: false,
  start_shared: false,
  start_unverified: false,
};

const node = (id: string, x = 0) => ({
  id,
  position: { x, y: 0 },
  data: {
    sources: [{ id: `${id} out`, name: 'out', type: 'u64' }],
    targets: [{ id: `${id} in`, name: 'in', type_bounds: ['u64'], required: true, passthrough: true }],
  },
});
const edge = (source: string, target: string) => ({
  source,
  sourceHandle: `${source} out`,
  target,
  targetHandle: `${target} in`,
});
const open = (document: FlowDocument = { nodes: [node('a'), node('b', 300), node('c', 600)], edges: [] }) =>
  makeEditorStore(document, SETTINGS, '2026-01-01');

describe('history', () => {
  it('undoes a drag as one step, and restores the same document', () => {
    const store = open();
    const before = store.state().document;
    for (const x of [1, 2, 3]) store.preview((document) => moveNodes(document, new Map([['a', { x, y: 0 }]])));
    store.change((document) => moveNodes(document, new Map([['a', { x: 4, y: 0 }]])));
    expect(store.state().document.nodes[0]).toMatchObject({ position: { x: 4 } });
    store.undo();
    expect(store.state().document).toBe(before);
    expect(store.isDirty()).toBe(false);
    store.redo();
    expect(store.state().document.nodes[0]).toMatchObject({ position: { x: 4 } });
  });

  it('undoes typing in one field as one step, until the selection changes', () => {
    const store = open();
    const type = (x: number) =>
      store.change((document) => moveNodes(document, new Map([['a', { x, y: 0 }]])), 'form a');
    type(1);
    type(2);
    store.select(new Set(['a']));
    type(3);
    store.undo();
    expect(store.state().document.nodes[0]).toMatchObject({ position: { x: 2 } });
    store.undo();
    expect(store.state().canUndo).toBe(false);
  });

  it('drops undone steps after a new change', () => {
    const store = open();
    store.change((document) => ({ ...document, nodes: [] }));
    store.undo();
    store.change((document) => ({ ...document, edges: [edge('a', 'b')] }));
    expect(store.state().canRedo).toBe(false);
  });
});

describe('edges', () => {
  it('refuses a second edge to an input, a repeated edge, a cycle and an unknown handle', () => {
    const store = open();
    connect(store, edge('a', 'b'));
    connect(store, edge('a', 'b'));
    expect(store.state().notice).toBe('This edge is there already.');
    connect(store, edge('c', 'b'));
    expect(store.state().notice).toBe('The input “in” has an edge already. Remove that one first.');
    connect(store, { source: 'b', sourceHandle: 'passthrough-b in', target: 'c', targetHandle: 'c in' });
    connect(store, edge('c', 'a'));
    expect(store.state().notice).toBe('The nodes would wait for each other in a circle.');
    connect(store, { ...edge('a', 'b'), targetHandle: 'gone' });
    expect(store.state().notice).toBe('An edge leads from an output to an input.');
    expect(store.state().document.edges).toHaveLength(2);
  });

  it('removes nodes with their edges, and only those', () => {
    const store = open({ nodes: [node('a'), node('b'), node('c')], edges: [edge('a', 'b'), edge('b', 'c')] });
    store.select(new Set(['a']));
    removeSelected(store);
    expect(store.state().document.nodes.map(nodeIdOf)).toEqual(['b', 'c']);
    expect(store.state().document.edges).toEqual([edge('b', 'c')]);
  });
});

describe('copies', () => {
  it('have new ids, and edges only among themselves', () => {
    const store = open({ nodes: [node('a'), node('b')], edges: [edge('a', 'b')] });
    store.select(new Set(['a', 'b']));
    duplicateSelected(store);
    const { nodes, edges } = store.state().document;
    const ids = nodes.flatMap(({ id, data }) => {
      const { sources, targets } = data as ReturnType<typeof node>['data'];
      return [id, ...sources.map((port) => port.id), ...targets.map((port) => port.id)];
    });
    expect(new Set(ids).size).toBe(ids.length);
    expect(edges[1]).toMatchObject({ source: nodes[2]!.id, target: nodes[3]!.id });
    expect(ids).toContain(edges[1]!.sourceHandle);
  });

  it.for(['', 'text', '5', '{"nodes": 5}', '{"nodes": [], "edges": []}', '{"nodes": [5], "edges": []}'])(
    'are not made of %j',
    (text) => expect(pasteText(open(), text)).toBe(false),
  );
});

describe('places', () => {
  it('of a node move by the same distance, relative and absolute', () => {
    const inside = { ...node('a', 10), positionAbsolute: { x: 110, y: 5, z: 1 } };
    const { nodes } = moveNodes({ nodes: [inside], edges: [] }, new Map([['a', { x: 120, y: 5 }]]));
    expect(nodes[0]).toMatchObject({ position: { x: 20, y: 0 }, positionAbsolute: { x: 120, y: 5, z: 1 } });
  });

  it('are computed for a flow without any, and kept in a flow with some', async () => {
    const { position: _, ...bare } = node('a');
    const { nodes } = await placeNodes({ nodes: [bare, { ...bare, id: 'b' }], edges: [] });
    expect(nodes[0]!.position).not.toEqual(nodes[1]!.position);
    const placed = { nodes: [node('a'), bare], edges: [] };
    expect(await placeNodes(placed)).toBe(placed);
  });
});
