import type { DeploymentInput } from 'flow-deployments-client';
import { expect, it } from 'vitest';
import { inputsForm, toFormValues } from './inputs_schema.ts';

const inputOf = (json_schema: DeploymentInput['json_schema']): DeploymentInput => ({
  name: 'value',
  description: '',
  type_bounds: [],
  required: true,
  json_schema,
  default: null,
});

const formOf = (json_schema: DeploymentInput['json_schema']) => {
  const { schema, uiSchema } = inputsForm([inputOf(json_schema)]);
  return { ...(schema.properties?.value as object), ui: uiSchema.value };
};

const TEXT = { type: 'string' };
const LIST = { type: 'array' };

it('an input that accepts numbers and texts has a text field', () => {
  expect(formOf({ anyOf: [{ type: 'integer' }, TEXT] })).toMatchObject({ type: 'string', ui: {} });
});

it.each([
  [[TEXT, LIST], ['text', 'list', 'json']],
  [[{ type: 'number' }, TEXT, LIST], ['text', 'list', 'json']],
  [[LIST, { type: 'object' }], ['list', 'map', 'json']],
  [[{ type: 'boolean' }, {}], []],
])('an input that accepts %j lets the person choose', (anyOf, kinds) => {
  expect(formOf({ anyOf }).ui).toMatchObject({ 'ui:field': 'anything', 'ui:options': { kinds } });
});

it('a number for an input that also accepts texts becomes its digits', () => {
  const input = inputOf({ anyOf: [{ type: 'number' }, TEXT, LIST] });
  expect(toFormValues([input], { value: 5 })).toEqual({ value: '5' });
  expect(toFormValues([inputOf(LIST)], { value: [5] })).toEqual({ value: [5] });
});
