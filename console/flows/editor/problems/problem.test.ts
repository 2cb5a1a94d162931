import { expect, it } from 'vitest';
import { messagesByNode, readProblems, withoutNotes } from './problem.ts';

const port = (id: string, name: string) => ({ id, name, type_bounds: ['free'], required: true, passthrough: false });
const node = (id: string, targets: object[] = []) => ({
  id,
  data: { type: 'native', node_id: 'x', sources: [], targets },
});
const document = {
  nodes: [node('a'), node('b', [port('b.url', 'url')])],
  edges: [
    { source: 'a', sourceHandle: 'a.out', target: 'b', targetHandle: 'b.url' },
    { source: 'a', sourceHandle: 'a.out', target: 'gone', targetHandle: 'x' },
  ],
};
const placeOf = (problem: object) => {
  const [{ nodeId, edge, field, calledFlow }] = readProblems(
    [{ code: 'c', message: 'm', ...problem }],
    document,
    7,
  ) as [
    ReturnType<typeof readProblems>[number],
  ];
  return { nodeId, edge, field, calledFlow };
};

it('finds the node and the input that a problem is about', () => {
  expect(placeOf({ path: 'nodes[1]', port: 'url' })).toMatchObject({ nodeId: 'b', field: 'url' });
  expect(placeOf({ path: 'nodes[1].data.targets_form.form_data.connection' }))
    .toMatchObject({ nodeId: 'b', field: 'connection' });
  expect(placeOf({ path: 'nodes[0].data.retry' })).toMatchObject({ nodeId: 'a', field: 'retry' });
  expect(placeOf({ path: 'nodes[0]' })).toMatchObject({ nodeId: 'a', field: undefined });
});

it('finds the input that an edge leads into, or else the source of the edge', () => {
  expect(placeOf({ path: 'edges[0].targetHandle' })).toMatchObject({ nodeId: 'b', edge: 0, field: 'url' });
  expect(placeOf({ path: 'edges[1].target' })).toMatchObject({ nodeId: 'a', edge: 1, field: undefined });
});

it('finds no node for problems of other flows, of the environment and of deleted parts', () => {
  expect(placeOf({ path: 'nodes[1]', flow_id: 8 })).toMatchObject({ nodeId: undefined, calledFlow: 8 });
  expect(placeOf({ path: 'nodes[1]', flow_id: 7 })).toMatchObject({ nodeId: 'b', calledFlow: undefined });
  for (const path of ['environment.PRIORITY_FEE', 'nodes', 'nodes[9]', 'edges[9]']) {
    expect(placeOf({ path })).toMatchObject({ nodeId: undefined });
  }
});

it('a note is no problem of a node, in a check and in a deploy', () => {
  const note = { code: 'effect_skipped_by_branch', path: 'edges[0]', message: 'a branch decides' };
  for (const problem of [note, { ...note, severity: 'note' }]) {
    const problems = readProblems([problem], document, 7);
    expect(problems[0]!.severity).toBe('note');
    expect(withoutNotes(problems)).toEqual([]);
    expect(messagesByNode(problems).size).toBe(0);
  }
});

it('groups messages by node', () => {
  const problems = readProblems(
    [{ code: 'c', path: 'nodes[0]', message: 'one' }, { code: 'c', path: 'nodes[0]', message: 'two' }],
    document,
    7,
    'prevents_deploy',
  );
  expect([...messagesByNode(problems)]).toEqual([['a', ['one', 'two']]]);
  expect(problems[0]!.severity).toBe('prevents_deploy');
});
