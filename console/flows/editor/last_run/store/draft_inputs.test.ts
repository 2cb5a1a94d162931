import { expect, test } from 'vitest';
import { FlowBuilder } from '../../../../../tests/support/flow_builder.ts';
import { draftInputs } from './draft_inputs.ts';

test('a flow has the inputs of its flow_input nodes, with the types of the ports that they feed', () => {
  const flow = new FlowBuilder();
  const count = flow.input('count');
  flow.input('greeting', 'good day');
  const large = flow.input('large');
  const wait = flow.node('wait', { inputs: ['milliseconds', 'limit?', 'list?'] });
  flow.connect(count, wait.input('milliseconds')).connect(large, wait.input('limit'));
  flow.connect(flow.input('list'), wait.input('list'));
  flow.declare(wait, 'list', { type_bounds: ['array'] });
  flow.declare(wait, 'milliseconds', { type_bounds: ['u32'] });
  flow.declare(wait, 'limit', { type_bounds: ['u64'] });
  // SAFETY: the nodes and edges of a flow are JSON objects.
  const { nodes, edges } = JSON.parse(JSON.stringify({ nodes: flow.nodes, edges: flow.edges }));
  expect(draftInputs({ nodes, edges })).toMatchObject([
    { name: 'count', type_bounds: ['u32'], required: true, json_schema: { type: 'integer', minimum: 0 } },
    { name: 'greeting', type_bounds: ['free'], required: false, default: 'good day', json_schema: {} },
    { name: 'large', required: false, json_schema: { type: 'string', pattern: '^[0-9]{1,20}$' } },
    { name: 'list', required: false, json_schema: { type: 'array' } },
  ]);
});

test('an input has the type, label, help text and choices that its form data gives', () => {
  const flow = new FlowBuilder();
  flow.input('size', 'M', {
    type: 'text',
    title: 'Your size',
    help: 'Of the shirt',
    required: true,
    choices: ['S', 'M'],
  });
  flow.input('when', undefined, { type: 'date', required: true });
  flow.input('plain', undefined, { type: '', title: '', help: '', required: false, choices: [] });
  // SAFETY: the nodes of a flow are JSON objects.
  const { nodes } = JSON.parse(JSON.stringify({ nodes: flow.nodes }));
  expect(draftInputs({ nodes, edges: [] })).toMatchObject([
    {
      name: 'size',
      description: 'Of the shirt',
      required: false,
      default: 'M',
      json_schema: { type: 'string', title: 'Your size', description: 'Of the shirt', enum: ['S', 'M'] },
    },
    { name: 'when', required: true, json_schema: { type: 'string', format: 'date', description: '' } },
    { name: 'plain', required: false, json_schema: {} },
  ]);
});
