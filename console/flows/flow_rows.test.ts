import { expect, it } from 'vitest';
import { fromEditorFile } from './flow_rows.ts';

it('a file of the newer editor is stored in the form that the runner executes', async () => {
  const node = {
    id: '00000000-0000-4000-8000-000000000001',
    type: 'native',
    data: { node_id: '@spo/core.note.0.1', ports: { inputs: [], outputs: [] }, config: { text: { S: 'a' } } },
  };
  const file = { name: 'n', nodes: [node], edges: [], colour: 'red' };
  expect(await fromEditorFile(JSON.stringify(file))).toMatchObject({
    row: {
      name: 'n',
      nodes: [{ data: { type: 'native', node_id: 'note', sources: [], targets_form: { form_data: { text: 'a' } } } }],
    },
    leftOut: ['colour: has no place here'],
  });
});
