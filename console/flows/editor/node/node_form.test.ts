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

/** The form of a node with these form data and a definition with these properties. */
function formOf(nodeId: string, form_data: object, properties: object = {}, types: string[] = ['free']) {
  const targets = [{ id: 'x', name: 'compare_to', type_bounds: types }];
  const targets_form = { json_schema: { properties }, form_data };
  const json = { data: { node_id: nodeId, type: 'native', sources: [], targets, targets_form } };
  return nodeForm(json, readNode(json), new Set());
}

it('labels are words, unless the definition has a title of its own', () => {
  const properties = { operator: { title: 'operator', enum: ['gt'] }, max_items: {}, own: { title: 'Its title' } };
  const { schema, uiSchema } = formOf('branch', {}, properties);
  const titles = Object.entries(schema.properties ?? {}).map(([name, field]) => [name, objectAt(field).title]);
  expect(Object.fromEntries(titles)).toEqual({
    operator: 'Operator',
    max_items: 'Max items',
    own: 'Its title',
    compare_to: 'Compare with',
  });
  expect(objectAt(uiSchema, 'operator', 'ui:enumNames').gt).toBe('is greater than');
});

it.each([
  [['free'], []],
  [['string', 'u8'], ['text', 'number']],
  [['array'], ['list', 'json']],
  [['object'], ['map', 'json']],
  [['bytes'], ['text', 'list', 'json']],
  [['kv'], []],
])('a field of the types %j offers the kinds %j', (types, kinds) => {
  const { uiSchema } = formOf('x', {}, {}, types);
  expect(objectAt(uiSchema, 'compare_to', 'ui:options').kinds).toEqual(kinds.length > 0 ? kinds : undefined);
});

it.each([
  [{ type: 'date' }, { type: 'string', format: 'date' }],
  [{ type: 'boolean' }, { type: 'boolean' }],
  [{ type: 'list' }, { type: 'array' }],
  [{ type: 'integer' }, { type: 'integer' }],
  [{ choices: ['S', 'M'] }, { enum: ['S', 'M'] }],
  [{ type: 'unknown' }, {}],
])('the default of an input with %j has a field of this type', (formData, field) => {
  const { schema } = formOf('flow_input', formData);
  expect(schema.properties?.form_label).toEqual({ title: 'Default', ...field });
});

it.each([
  ['ai_agent', 'tools', 'agent_tools'],
  ['interflow', 'id', 'flow'],
  ['interflow_instructions', 'id', 'flow'],
  ['other', 'id', undefined],
])('a node %s chooses flows in its field %s', (nodeId, name, field) => {
  const { uiSchema } = formOf(nodeId, {}, { [name]: { type: name === 'tools' ? 'array' : 'integer' } });
  expect(objectAt(uiSchema, name)['ui:field']).toBe(field);
});
