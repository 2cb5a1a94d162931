import { retrieveSchema } from '@rjsf/utils';
import { expect, it } from 'vitest';
import constant from '../../../../runner/nodes/const/definition.json' with { type: 'json' };
import { fieldOf, PORT_TYPES } from '../../../../types/values/port_types.ts';
import { objectAt, readNode } from '../../../shared/graph/drawn_node.ts';
import { schemaValidator } from '../../../shared/form/schema_validator.ts';
import { nodeForm } from './node_form.ts';

/** The field of an input that accepts these types. */
function fieldFor(types: string[]): { type?: unknown; minimum?: unknown } {
  const json = { data: { targets: [{ id: 'x', name: 'x', type_bounds: types }] } };
  return objectAt(nodeForm(json, readNode(json), new Set()).schema, 'properties', 'x');
}

const TYPES = {
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  text: 'string',
  key: 'string',
  signature: 'string',
};

it.each(Object.keys(PORT_TYPES))(
  'the field of an input of the type %s takes what the table of port types says',
  (name) => {
    const field = fieldOf([name]);
    const isAnything = field === undefined || field === 'json' || name === 'bytes';
    expect(fieldFor([name]).type).toBe(isAnything ? undefined : TYPES[field]);
  },
);

it('an unsigned integer is not negative', () => {
  expect([fieldFor(['u64']).minimum, fieldFor(['i64']).minimum]).toEqual([0, undefined]);
});

it.each([[['u8', 'string']], [['constructor']], [['kv']]])('an input of %j takes any JSON', (types) => {
  expect(fieldFor(types).type).toBeUndefined();
});

it.each([
  ['text', 'string', 'textarea'],
  ['number', 'number', undefined],
  ['decimal', 'string', undefined],
  ['boolean', 'boolean', undefined],
  ['JSON', 'string', 'textarea'],
  ['null', undefined, undefined],
  ['bytes', 'string', undefined],
  ['key', 'string', undefined],
])('the value of a constant of the type %s has a field for it', (type, field, widget) => {
  const targets_form = {
    json_schema: constant['targets_form.json_schema'],
    ui_schema: constant['targets_form.ui_schema'],
    form_data: { type },
  };
  const json = { data: { node_id: 'const', type: 'native', sources: [], targets: [], targets_form } };
  const { schema, uiSchema } = nodeForm(json, readNode(json), new Set());
  const { properties } = retrieveSchema(schemaValidator, schema, schema, { type });
  expect([objectAt(properties, 'value').type, objectAt(uiSchema, 'value')['ui:widget']]).toEqual([field, widget]);
});
