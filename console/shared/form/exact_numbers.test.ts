import { expect, it } from 'vitest';
import { parseExactly } from '../exact_json.ts';
import { markExactNumbers, readExactNumbers, roundExactNumbers } from './exact_numbers.ts';
import { schemaValidator } from './schema_validator.ts';

const TEXT = '{"list":[1,18446744073709551615],"map":{"price":1.50},"text":"18446744073709551615"}';
/** Node 20 rounds the numbers, because it lacks this function. */
const isExact = 'rawJSON' in JSON;

/** Some engines make an object of a number that JavaScript would round, others refuse to copy it. */
function copyUnmarked(values: unknown): unknown {
  try {
    return structuredClone(values);
  } catch (error) {
    return error;
  }
}

it.skipIf(!isExact)('marked numbers stay exact when the form library copies its values', () => {
  const values = parseExactly(TEXT);
  expect(JSON.stringify(copyUnmarked(values))).not.toBe(TEXT);
  expect(JSON.stringify(readExactNumbers(structuredClone(markExactNumbers(values))))).toBe(TEXT);
});

it('values without such numbers stay the same objects', () => {
  const values = { list: [1, { a: 'text' }], none: null, zero: '\0', word: '\0x' };
  expect(markExactNumbers(values)).toBe(values);
  expect(readExactNumbers(values)).toBe(values);
});

it('a marked number is checked as a number', () => {
  const schema = { type: 'object', properties: { count: { type: 'integer', minimum: 0 } } } as const;
  const faultsOf = (count: string) => schemaValidator.validateFormData({ count }, schema).errors.length;
  const marked = (digits: string) => `\u0000${digits}`;
  expect(roundExactNumbers([marked('1.50'), '1.50'])).toEqual([1.5, '1.50']);
  expect([marked('18446744073709551615'), marked('-18446744073709551615'), '5'].map(faultsOf)).toEqual([0, 1, 1]);
});
