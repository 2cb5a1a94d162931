import { expect, it } from 'vitest';
import { readStructured } from './structured.ts';

const SCHEMA = {
  type: 'object',
  properties: { total: { type: 'integer', minimum: 0 }, note: { type: 'string' } },
  required: ['total'],
  additionalProperties: false,
};
const read = (text: string, finishReason = 'stop', maxBytes = 1_000) =>
  readStructured({ text, toolCalls: [], usage: { inputTokens: 0, outputTokens: 0 }, finishReason }, SCHEMA, maxBytes);

it('reads an answer without loss of digits, also from a code fence', () => {
  const value = { M: { total: { U: '12345678901234567890' } } };
  expect(read('{"total": 12345678901234567890}')).toEqual({ value });
  expect(read('```json\n{"total": 12345678901234567890}\n```\n')).toEqual({ value });
});

it.each([
  ['Sure! The total is 3.', 'the text is not JSON'],
  ['{"total": -1}', 'total: must be at least 0'],
  ['{"total": "3", "more": 1}', 'total: must be of the type integer; must not have the member "more"'],
  ['[]', 'must be of the type object'],
  ['', 'the text is not JSON'],
  [`{"total": 1, "note": "${'x'.repeat(2_000)}"}`, 'larger than 1000 characters'],
])('tells what is wrong with %.30s', (text, fault) => {
  expect(read(text)).toEqual({ fault: expect.stringContaining(fault) });
});

it('tells that an answer was cut off', () => {
  expect(read('{"total": 1', 'length')).toEqual({ fault: 'it was cut off at the limit of tokens' });
});
