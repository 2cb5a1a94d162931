import { describe, expect, it } from 'vitest';
import { prepareForm } from './prepare_schema.ts';
import { schemaValidator } from './schema_validator.ts';

describe('a form of a definition', () => {
  it('keeps its contents, except for patterns and unresolvable references', () => {
    const { schema } = prepareForm({
      definitions: { a: { type: 'string' } },
      properties: {
        known: { $ref: '#/definitions/a' },
        gone: { $ref: '#/definitions/b', title: 'Gone' },
        far: { $ref: 'https://evil.example' },
        text: { type: 'string', pattern: '^(a+)+$', format: 'regex' },
        pattern: { type: 'string' },
      },
    }, {});
    expect(schema).toEqual({
      type: 'object',
      definitions: { a: { type: 'string' } },
      properties: {
        known: { $ref: '#/definitions/a' },
        gone: { title: 'Gone' },
        far: {},
        text: { type: 'string' },
        pattern: { type: 'string' },
      },
    });
  });

  it('keeps the order and existing widgets, and drops the rest of the presentation', () => {
    const schema = { properties: { a: { type: 'string' }, b: { type: 'string' }, c: { title: 'Anything' } } };
    const { uiSchema } = prepareForm(schema, {
      'ui:order': ['b', 'gone', 'b'],
      a: { 'ui:widget': 'textarea', 'ui:field': 'x', 'ui:classNames': 'y' },
      b: { 'ui:widget': 'gone' },
    });
    expect(uiSchema).toEqual({
      'ui:order': ['b', '*'],
      a: { 'ui:widget': 'textarea' },
      b: {},
      c: {},
    });
  });

  it.for([undefined, null, 5, 'text', []])('is empty where the schema is %j', (schema) => {
    expect(prepareForm(schema, schema)).toEqual({ schema: { type: 'object' }, uiSchema: {} });
  });
});

describe('validating without making code', () => {
  const schema = {
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'string' }, b: { type: 'array', items: { type: 'integer', minimum: 1 } } },
  } as const;

  it('finds each fault with its path', () => {
    const { errors } = schemaValidator.validateFormData({ b: [1, 0] }, schema as never);
    expect(errors.map(({ property, message }) => [property, message])).toEqual([
      ['.a', 'must be given'],
      ['.b.1', 'must be at least 1'],
    ]);
    expect(schemaValidator.isValid(schema as never, { a: 'x' }, schema as never)).toBe(true);
  });

  it('reports an unreadable schema instead of throwing', () => {
    const { errors } = schemaValidator.validateFormData({}, { $ref: '#/gone' });
    expect(errors).toHaveLength(1);
  });
});
