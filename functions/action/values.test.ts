import { describe, expect, it } from 'vitest';
import type { InputDescription } from '../../types/deployment_description.ts';
import { ApiError } from '../../platform/api_error.ts';
import { readValues } from './values.ts';

const input = (name: string, types: string[], more: Partial<InputDescription> = {}): InputDescription => ({
  name,
  description: '',
  type_bounds: types,
  required: false,
  default: null,
  json_schema: {},
  ...more,
});

const account = 'da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs';
const payer = input('buyer', ['keypair']);
const long = { anyOf: [{ type: 'integer' }, { type: 'string' }] };
const inputs = [
  payer,
  input('small', ['u8'], { json_schema: { type: 'integer' } }),
  input('wide', ['u64'], { json_schema: long }),
  input('amount', ['decimal'], { json_schema: long }),
  input('is', ['bool']),
  input('note', ['string']),
  input('to', ['pubkey']),
  input('order', ['object']),
  input('must', ['string'], { required: true }),
  input('few', ['decimal'], { json_schema: { ...long, minimum: 1, maximum: 9.5 } }),
  input('short', ['string'], { json_schema: { type: 'string', minLength: 2, maxLength: 3 } }),
  input('size', ['string'], { json_schema: { type: 'string', enum: ['S', 'M'] } }),
];

const read = (data: Record<string, string | string[]>, query: Record<string, string[]> = {}) =>
  readValues(inputs, payer, { account, data: { must: 'x', ...data } }, query);

describe('the values of a start', () => {
  it('are the fields, converted by the kinds of their inputs, and the wallet', () => {
    expect(read({
      small: '7',
      wide: '18446744073709551615',
      amount: '0.10',
      is: 'false',
      note: '5',
      to: account,
      order: '{"n": [1]}',
    })).toEqual({
      buyer: account,
      small: 7,
      wide: '18446744073709551615',
      amount: '0.10',
      is: false,
      note: '5',
      to: account,
      order: { n: [1] },
      must: 'x',
    });
  });

  it('are accepted up to their limits', () => {
    expect(read({ few: '9.5', short: '🙂🙂', size: 'M' })).toMatchObject({ few: '9.5', short: '🙂🙂', size: 'M' });
  });

  it('omit empty fields, and prefer the body to the query', () => {
    expect(read({ note: '', amount: '2' }, { note: ['q'], amount: ['1'], utm_source: ['x', 'y'] }))
      .toEqual({ buyer: account, must: 'x', note: 'q', amount: '2' });
  });

  it('never take the wallet from a field', () => {
    expect(read({}, { buyer: ['other'] })).toMatchObject({ buyer: account });
    expect(() => read({ buyer: 'other' })).toThrow('buyer is not a parameter of this action.');
  });

  it.each<[string, Record<string, string | string[]>, Record<string, string[]>, string]>([
    ['a text that is no number', { amount: '1e3' }, {}, 'amount must be a number'],
    ['a number that is not whole', { small: '1.5' }, {}, 'small must be a whole number'],
    ['a text that is no key', { to: 'x' }, {}, 'to must be a Solana address'],
    ['a text that is no boolean', { is: 'yes' }, {}, 'is must be one of true, false.'],
    ['too small a number', { few: '0.5' }, {}, 'few must be at least 1.'],
    ['too large a number', { few: '9.6' }, {}, 'few must be at most 9.5.'],
    ['too short a text', { short: '🙂' }, {}, 'short must have at least 2 characters.'],
    ['too long a text', { short: 'abcd' }, {}, 'short must have at most 3 characters.'],
    ['a text that is none of the choices', { size: 'L' }, {}, 'size must be one of S, M.'],
    ['a text that is no JSON', { order: '{' }, {}, 'order must be JSON.'],
    ['JSON that is too deep', { order: '['.repeat(40) }, {}, 'order is nested deeper than 32 levels.'],
    ['a missing required field', { must: '' }, {}, 'must is missing.'],
    ['an unknown field', { nothing: '1' }, {}, 'nothing is not a parameter of this action.'],
    ['a field that is given twice', {}, { note: ['a', 'b'] }, 'note is given more than once.'],
    ['a field that is too long', {}, { note: ['x'.repeat(10_001)] }, 'note is too long.'],
  ])('are refused with %s', (_says, data, query, message) => {
    const refused = expect(() => read(data, query));
    refused.toThrow(ApiError);
    refused.toThrow(message);
  });
});
