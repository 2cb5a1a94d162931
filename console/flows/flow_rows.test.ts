import { expect, it } from 'vitest';
import { fromEditorFile } from './flow_rows.ts';

it('a file of the newer editor is stored in the form that the runner executes', async () => {
  const node = {
    id: '00000000-0000-4000-8000-000000000001',
    type: 'native',
    data: { node_id: '@spo/core.note.0.1', ports: { inputs: [], outputs: [] }, config: { text: { S: 'a' } } },
  };
  const file = { name: 'n', nodes: [node], edges: [], colour: 'red' };
  expect(await fromEditorFile(JSON.stringify(file), new Map())).toMatchObject({
    row: {
      name: 'n',
      nodes: [{ data: { type: 'native', node_id: 'note', sources: [], targets_form: { form_data: { text: 'a' } } } }],
    },
    leftOut: ['colour: has no place here'],
  });
});

it('calls get the stored ids of flows that are imported together, and other numbers keep their digits', async () => {
  const node = {
    id: '00000000-0000-4000-8000-000000000001',
    data: { node_id: 'interflow', targets_form: { form_data: { id: 7, amount: 'DIGITS' } } },
  };
  const text = JSON.stringify({ id: 8, nodes: [node], edges: [] }).replace('"DIGITS"', '12345678901234567890');
  const { row, id } = await fromEditorFile(text, new Map([['7', 70]]));
  expect(id).toBe('8');
  expect(JSON.stringify(row.nodes)).toContain('"form_data":{"id":70,"amount":');
  expect(JSON.stringify((await fromEditorFile(text, new Map())).row.nodes)).toContain('"form_data":{"id":7,"amount":');
});

it('tools of an agent get the stored ids of flows that are imported together, and keep their other members', async () => {
  const tools = [{ flow: 7, name: 'pay', needs_approval: true }, { flow: 9, name: 'find' }, { name: 'none' }];
  const node = { id: 'a', data: { node_id: 'ai_agent', targets_form: { form_data: { model: 'm', tools } } } };
  const text = JSON.stringify({ id: 8, nodes: [node], edges: [] });
  const { row } = await fromEditorFile(text, new Map([['7', 70]]));
  expect(row.nodes).toEqual([{
    ...node,
    data: {
      ...node.data,
      targets_form: { form_data: { model: 'm', tools: [{ ...tools[0], flow: 70 }, ...tools.slice(1)] } },
    },
  }]);
});
