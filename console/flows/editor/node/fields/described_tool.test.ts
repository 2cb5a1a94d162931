import { expect, it } from 'vitest';
import type { DrawnDefinition } from '../../definition.ts';
import { chosenByModel, fixedForm, nodeOfValue, valueOfNode, withFixed } from './described_tool.ts';

const definition: DrawnDefinition = {
  id: '1',
  type: 'openapi',
  data: { node_id: 'charge', version: '1', display_name: 'Charge', implementation: {} },
  sources: [],
  targets: ['amount', 'note'].map((name) => ({ name, type_bounds: ['string'], required: true, passthrough: false })),
  'targets_form.json_schema': {
    type: 'object',
    properties: { amount: { type: 'string', default: 'all' }, connection: { type: 'string' } },
    required: ['amount'],
  },
  'targets_form.ui_schema': {},
  'targets_form.extra': {},
};

it('the form of fixed values has a field for each input and setting, and requires and presets none', () => {
  const { schema, uiSchema } = fixedForm(definition, {});
  expect(Object.keys(schema.properties!)).toEqual(['amount', 'connection', 'note']);
  expect(schema.required).toBeUndefined();
  expect(JSON.stringify(schema)).not.toContain('default');
  expect(uiSchema.connection).toMatchObject({ 'ui:field': 'connection' });
});

it('a field without a value is no fixed value', () => {
  const node = { type: 'openapi', node_id: 'charge', version: '1' };
  const fixed = withFixed(node, { amount: undefined, note: null, connection: 'bank' });
  expect(fixed).toEqual({ ...node, form_data: { note: null, connection: 'bank' } });
  expect(withFixed(fixed, { note: undefined })).toEqual(node);
});

it('the model chooses the inputs that are not fixed', () => {
  expect(chosenByModel(definition, { note: null, connection: 'bank' })).toEqual(['amount']);
});

it.each([[{}, null], [{ type: 'mcp', node_id: 'a' }, null], [undefined, null]])(
  '%j names no definition',
  (node, value) => {
    expect(valueOfNode(node)).toBe(value);
  },
);

it('the text of a choice names the definition', () => {
  const node = { type: 'mcp', node_id: 'a/b', version: '1"' };
  expect(nodeOfValue(valueOfNode({ ...node, form_data: { a: 1 } })!)).toEqual(node);
});
