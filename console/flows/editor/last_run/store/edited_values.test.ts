import { expect, test } from 'vitest';
import { FlowBuilder } from '../../../../../tests/support/flow_builder.ts';
import { withExpression } from '../../edge/edge_expression.ts';
import { carriedValues, changedValues, readTyped } from './edited_values.ts';

test('only changed values are sent, with the tags of the former ones', () => {
  const former = { amount: { U: '5' }, text: { S: 'a' } };
  expect(changedValues({ amount: 6, text: 'a', more: true }, former)).toEqual({
    amount: { U: '6' },
    more: { B: true },
  });
});

test('a text that is no object of JSON is refused with the reason', () => {
  expect(readTyped('{"a": 1}')).toEqual({ values: { a: 1 } });
  expect(readTyped('[1]')).toMatchObject({ fault: expect.stringContaining('must be an object') });
  expect(readTyped('{')).toMatchObject({ fault: expect.stringContaining('not JSON') });
});

test('an input gets the value of the output at which its edge begins', () => {
  const flow = new FlowBuilder();
  const number = flow.input('n');
  const text = flow.use('to_string', { stringify: number });
  // SAFETY: the nodes and edges of a flow are JSON objects.
  const document = JSON.parse(JSON.stringify({ nodes: flow.nodes, edges: flow.edges }));
  const outputs = (id: string) => id === number.nodeId ? { n: { U: '7' } } : undefined;
  expect(carriedValues(document, text.id, outputs)).toEqual({ stringify: { U: '7' } });
  expect(carriedValues(document, text.id, () => undefined)).toEqual({});
  const edges = document.edges.map((json: object) => withExpression({ ...json }, '$ + 1'));
  expect(carriedValues({ ...document, edges }, text.id, outputs)).toEqual({});
});
