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

  it.each<[object, unknown[], [unknown, string][]]>([
    [{ type: ['string', 'null'] }, ['a', null], [[1, 'must be of the type string or null']]],
    [{ type: 'integer', multipleOf: 5 }, [10, -5], [[1, 'must be a multiple of 5'], [
      1.5,
      'must be of the type integer',
    ]]],
    [{ type: 'number', multipleOf: 0.1 }, [0.3, 1e20], [[0.35, 'must be a multiple of 0.1']]],
    [{ type: 'number', minimum: 1, exclusiveMaximum: 3 }, [1, 2.9], [
      [0, 'must be at least 1'],
      [3, 'must be less than 3'],
    ]],
    [{ type: 'number', exclusiveMinimum: 1, maximum: 3 }, [1.1, 3], [
      [1, 'must be more than 1'],
      [4, 'must be at most 3'],
    ]],
    [{ type: 'string', minLength: 1, maxLength: 2 }, ['a', 'ab'], [
      ['', 'must have at least 1 character'],
      ['abc', 'must have at most 2 characters'],
    ]],
    [{ type: 'array', minItems: 1, maxItems: 2 }, [[1], [1, 2]], [
      [[], 'must have at least 1 item'],
      [[1, 2, 3], 'must have at most 2 items'],
    ]],
    [{ type: 'object', minProperties: 1, maxProperties: 2 }, [{ a: 1 }], [
      [{}, 'must have at least 1 member'],
      [{ a: 1, b: 1, c: 1 }, 'must have at most 2 members'],
    ]],
    [{ type: 'object', properties: { a: {} }, required: ['a'], additionalProperties: { type: 'string' } }, [
      { a: 1, b: 'x' },
    ], [[{ b: 'x' }, 'is missing'], [{ a: 1, b: 2 }, 'must be of the type string']]],
    [{ type: 'object', additionalProperties: false }, [{}], [
      [JSON.parse('{"__proto__": 1}'), 'must not have the member "__proto__"'],
    ]],
    [{ enum: ['a', 1, null] }, ['a', 1, null], [['b', 'must be one of "a", 1, null'], [
      {},
      'must be one of "a", 1, null',
    ]]],
    [{ const: null }, [null], [[0, 'must be null']]],
    [{ type: 'string', minLength: 2, maxLength: 3 }, ['🙂🙂', '🙂🙂🙂', 'abc'], [
      ['🙂', 'must have at least 2 characters'],
      ['🙂🙂🙂🙂', 'must have at most 3 characters'],
    ]],
    [{ anyOf: [{ type: 'string' }, { type: 'number', minimum: 5 }] }, ['a', 5], [[
      4,
      'must fit one of 2 alternatives',
    ]]],
    [{ oneOf: [{ type: 'number' }, { type: 'integer' }] }, [1.5], [
      [1, 'must fit exactly one of 2 alternatives, but fits 2'],
      ['a', 'must fit exactly one of 2 alternatives, but fits 0'],
    ]],
    [{ type: 'string', default: 'x', format: 'email', title: 'A' }, ['no address'], []],
  ])('is checked against %j', (json_schema, right, wrong) => {
    expect(faultOfAnswerSchema(json_schema)).toBeUndefined();
    for (const answer of right) expect(faultsOfAnswer({ json_schema }, answer)).toEqual([]);
    for (const [answer, message] of wrong) {
      expect(faultsOfAnswer({ json_schema }, answer)).toEqual([{ path: expect.any(String), message }]);
    }
  });

  it('has 20 faults at most', () => {
    const faults = faultsOfAnswer({ json_schema: { type: 'array', items: { type: 'string' } } }, Array(1_000).fill(0));
    expect(faults.map(({ path }) => path)).toEqual(Array.from({ length: 20 }, (_, index) => `${index}`));
  });

  it('is refused if its check takes too many steps, because alternatives and items multiply', () => {
    const listOf = (items: object) => ({ json_schema: { type: 'array', items } });
    const ones = Array.from({ length: 650 }, () => ({ const: 1 }));
    const zeros = Array.from({ length: 30_000 }, () => 0);
    expect(faultsOfAnswer(listOf({ anyOf: ones }), zeros)).toHaveLength(20);
    const tooLong = [{ path: '', message: 'must be shorter: checking it takes more than 100000 steps' }];
    expect(faultsOfAnswer(listOf({ anyOf: [...ones, { const: 0 }] }), zeros)).toEqual(tooLong);
    const required = Array.from({ length: 400 }, (_, index) => `a${index}`);
    const properties = Object.fromEntries(required.map((name) => [name, {}]));
    const whole = Object.fromEntries(required.map((name) => [name, 0]));
    const wide = { anyOf: [{ type: 'object', properties, required, maxProperties: 1 }, { type: 'object' }] };
    expect(faultsOfAnswer(listOf(wide), [whole])).toEqual([]);
    expect(faultsOfAnswer(listOf(wide), Array.from({ length: 10_000 }, () => ({})))).toEqual(tooLong);
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
