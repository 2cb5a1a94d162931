import { type Schema, Validator } from '@cfworker/json-schema';
import { expect, it } from 'vitest';
import { faultWords } from './fault_words.ts';

it.each<[Schema, unknown, string]>([
  [{ type: 'object' }, [], 'must be a map'],
  [{ type: 'integer' }, 1.5, 'must be a whole number'],
  [{ type: ['array', 'string'] }, 1, 'must be a list or a text'],
  [{ enum: ['a b', '', 2] }, 'c', 'must be one of: a b, "", 2'],
  [{ const: 'yes' }, 'no', 'must be yes'],
  [{ minimum: 1.5 }, 1, 'must be at least 1.5'],
  [{ maximum: 255 }, 300, 'must be at most 255'],
  [{ exclusiveMinimum: 0 }, 0, 'must be more than 0'],
  [{ exclusiveMaximum: 9 }, 9, 'must be less than 9'],
  [{ multipleOf: 5 }, 7, 'must be a multiple of 5'],
  [{ minLength: 2 }, 'a', 'must have at least 2 characters'],
  [{ maxLength: 1 }, 'ab', 'must have at most 1 character'],
  [{ minItems: 1 }, [], 'must have at least 1 item'],
  [{ maxItems: 2 }, [1, 2, 3], 'must have at most 2 items'],
  [{ uniqueItems: true }, [1, 1], 'must not have the same item twice'],
  [{ minProperties: 1 }, {}, 'must have at least 1 row'],
  [{ maxProperties: 1 }, { a: 1, b: 2 }, 'must have at most 1 row'],
  [{ pattern: '^a' }, 'b', 'must have the form of its type'],
  [{ format: 'email' }, 'ada', 'must be an e-mail address'],
  [{ format: 'ipv4' }, 'ada', 'must have the format ipv4'],
  [{ not: {} }, 'a', 'has a form that is not allowed'],
])('the fault of %j for %j is: %s', (schema, value, words) => {
  const { errors } = new Validator(schema, '7', false).validate(value);
  expect(errors.map(({ keyword, error }) => faultWords(keyword, error))).toEqual([words]);
});

it('a message of an unknown keyword stays as it is', () => {
  expect(faultWords('toString', 'Something is wrong.')).toBe('Something is wrong.');
});
