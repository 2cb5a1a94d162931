import { expect, test } from 'vitest';
import { schemaOf } from '../../../types/values/json/readable_schemas.ts';
import { PORT_TYPES, type PortTypeName } from '../../../types/values/port_types.ts';
import { schemaValidator } from '../../shared/form/schema_validator.ts';
import { exampleValues } from './sample_code.ts';

const input = (name: string, columns: object) => ({
  name,
  description: '',
  type_bounds: [name],
  required: true,
  default: null,
  json_schema: {},
  ...columns,
});

test.each(Object.keys(PORT_TYPES) as PortTypeName[])('the example for an input of the type %s is valid', (type) => {
  // SAFETY: JSON has no bigints, and the range of each integer contains the example.
  const schema = JSON.parse(
    JSON.stringify(schemaOf(type), (_name, value) => typeof value === 'bigint' ? `${value}` : value, 1)
      .replaceAll(/"(minimum|maximum)": "(-?\d+)"/g, '"$1": $2'),
  );
  const values = exampleValues([input(type, { json_schema: schema })]);
  expect(schemaValidator.validateFormData(values, { type: 'object', properties: { [type]: schema } }).errors).toEqual(
    [],
  );
  expect(Object.keys(values)).toEqual([type]);
});

test('an optional input without a default is left out, and a default is shown', () => {
  const optional = input('optional', { required: false });
  const set = input('set', { required: false, default: { a: [1] } });
  expect(exampleValues([optional, set])).toEqual({ set: { a: [1] } });
});
