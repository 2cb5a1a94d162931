import { describe, expect, it } from 'vitest';
import { faultOfAnswerSchema } from './answer_schema.ts';
import { faultsOfAnswer } from './check_answer.ts';

const ORDER = {
  type: 'object',
  title: 'Order',
  properties: {
    amount: { type: 'integer', minimum: 1, default: 3 },
    by: { type: 'string', maxLength: 3, format: 'email' },
    tags: { type: 'array', items: { enum: ['new', 'old'] } },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  },
  required: ['amount'],
  additionalProperties: false,
};

describe('a schema of answers', () => {
  it.each([ORDER, { type: 'boolean' }, { type: ['string', 'null'] }, {}, { const: 'yes' }])(
    '%j can be used',
    (schema) => {
      expect(faultOfAnswerSchema(schema)).toBeUndefined();
    },
  );

  it.each<[unknown, string]>([
    ['text', 'json_schema: must be a JSON Schema, an object'],
    [{ type: 'text' }, 'json_schema.type: must be one of object, array, string'],
    [{ type: 'string', pattern: '(a+)+$' }, "json_schema.pattern: this keyword can't be used for answers"],
    [{ $ref: '#' }, "json_schema.$ref: this keyword can't be used for answers"],
    [{ type: 'object', properties: { a: { pattern: 'x' } } }, 'json_schema.properties.a.pattern: '],
    [{ type: 'object', required: ['a'] }, 'json_schema.required: must be a list of names in properties'],
    [{ minimum: 3 }, 'json_schema.minimum: needs "type": "number" beside it'],
    [{ type: 'string', maxLength: 'x' }, 'json_schema.maxLength: must be a whole number from 0'],
    [{ type: 'string', anyOf: [{}] }, "json_schema: type, anyOf can't stand together"],
    [{ type: 'array', items: true }, 'json_schema.items: must be a JSON Schema, an object'],
    [
      JSON.parse(`${'{"type":"array","items":'.repeat(17)}{}${'}'.repeat(17)}`),
      'is nested deeper than 16 levels',
    ],
  ])('%j is refused', (schema, fault) => {
    expect(faultOfAnswerSchema(schema)).toContain(fault);
  });
});

describe('an answer', () => {
  it('fits the schema, or has faults with their paths', () => {
    expect(faultsOfAnswer({ json_schema: ORDER }, { amount: 2, by: 'Ada', tags: ['new'], note: null })).toEqual([]);
    const paths = (answer: unknown) => faultsOfAnswer({ json_schema: ORDER }, answer).map(({ path }) => path);
    // The schema's `default` does not fill in a missing `amount`.
    expect(paths({})).toEqual(['amount']);
    expect(paths({ amount: 1.5 })).toEqual(['amount']);
    expect(paths({ amount: 1, by: 'Grace', tags: ['new', 'blue'] })).toEqual(['by', 'tags.1']);
    expect(paths({ amount: 1, price: 3 })).toEqual(['']);
    expect(paths('text')).toEqual(['']);
  });

  it('is one of the choices', () => {
    expect(faultsOfAnswer({ choices: ['yes', 'no'] }, 'yes')).toEqual([]);
    expect(faultsOfAnswer({ choices: ['yes', 'no'] }, true)).toEqual([
      { path: '', message: 'must be one of "yes", "no"' },
    ]);
  });

  it('is limited in size if it is checked against a schema', () => {
    const schema = { type: 'string' };
    expect(faultsOfAnswer({ json_schema: schema }, 'a'.repeat(65_534))).toEqual([]);
    expect(faultsOfAnswer({ json_schema: schema }, 'a'.repeat(65_535))).toHaveLength(1);
    expect(faultsOfAnswer({}, 'a'.repeat(65_535))).toEqual([]);
  });
});
