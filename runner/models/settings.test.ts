import { parse } from 'lossless-json';
import { expect, it } from 'vitest';
import type { LosslessJson } from '../../types/values/value.ts';
import { readModelSettings, readResponseSchema } from './settings.ts';

const form = (given: object): LosslessJson => parse(JSON.stringify(given)) as LosslessJson;
const FORM = { dialect: 'anthropic', base_url: ' https://api.example.com ', model: 'm' };

it('reads the settings of a form, and takes an empty field as missing', () => {
  expect(readModelSettings(form({ ...FORM, temperature: 0.5, max_tokens: 100 }))).toEqual({
    dialect: 'anthropic',
    baseUrl: 'https://api.example.com',
    model: 'm',
    temperature: 0.5,
    maxTokens: 100,
  });
  expect(readModelSettings(form({ ...FORM, temperature: null, max_tokens: '' }))).toMatchObject({ model: 'm' });
});

it.each([
  [{ dialect: 'other' }, 'dialect: must be openai or anthropic'],
  [{ dialect: undefined }, 'dialect: must be'],
  [{ base_url: '' }, 'base_url: must be a text'],
  [{ base_url: '127.0.0.1:8080/v1' }, 'base_url: must be an http or https address'],
  [{ base_url: 'localhost:8080' }, 'base_url: must be an http or https address'],
  [{ model: 7 }, 'model: must be a text'],
  [{ model: 'm'.repeat(201) }, 'model: has more than 200 characters'],
  [{ temperature: 3 }, 'temperature: must be a number from 0 to 2'],
  [{ temperature: 'warm' }, 'temperature: must be'],
  [{ max_tokens: 0 }, 'max_tokens: must be a whole number from 1'],
  [{ max_tokens: 1.5 }, 'max_tokens: must be'],
])('refuses %j', (wrong, message) => {
  expect(() => readModelSettings(form({ ...FORM, ...wrong }))).toThrow(`bad_config: ${message}`);
});

it('reads a schema of the answer, and refuses keywords that can not be checked', () => {
  const schema = { type: 'object', properties: { n: { type: 'number', multipleOf: 0.01 } } };
  expect(readResponseSchema(form({ response_schema: schema }))).toEqual(schema);
  expect(readResponseSchema(form({ response_schema: {} }))).toBeUndefined();
  expect(readResponseSchema(form({}))).toBeUndefined();
  expect(() => readResponseSchema(form({ response_schema: { type: 'string', pattern: 'a+' } })))
    .toThrow("bad_config: response_schema.pattern: this keyword can't be used");
  expect(() => readResponseSchema(form({ response_schema: 'text' }))).toThrow('bad_config: response_schema: must be');
});
