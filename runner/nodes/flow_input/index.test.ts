import { expect, it } from 'vitest';
import type { LosslessJson, ValueMap } from '../../../types/values/value.ts';
import { INPUT_TYPES } from '../../../types/values/input_types.ts';
import { makeNodeCall } from '../../../tests/support/node_call.ts';
import { flowInputNode } from './index.ts';

it.each<[ValueMap, LosslessJson, ValueMap]>([
  [{ a: { S: 'given' } }, { label: 'a', form_label: 'default' }, { a: { S: 'given' } }],
  [{ b: { S: 'another' } }, { label: 'a', form_label: { list: ['default'] } }, {
    a: { M: { list: { A: [{ S: 'default' }] } } },
  }],
  [{}, { label: 'a' }, { a: { N: 0 } }],
])('flow_input outputs, for %j with the settings %j, the value %j', (inputs, formData, expected) => {
  expect(flowInputNode.run(makeNodeCall(flowInputNode, { inputs, formData, outputNames: ['a'] }))).toEqual(
    expected,
  );
});

it('the form of flow_input offers the types that starts check', () => {
  expect(flowInputNode.definition['targets_form.json_schema']).toMatchObject({
    properties: { type: { oneOf: Object.entries(INPUT_TYPES).map(([name, { title }]) => ({ const: name, title })) } },
  });
});
