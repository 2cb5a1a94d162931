import { describe, expect, it } from 'vitest';
import type { InputDescription } from '../../types/deployment_description.ts';
import { payerOf } from './inputs.ts';
import { hrefOf, parameterOf } from './parameters.ts';

const input = (name: string, types: string[], more: Partial<InputDescription> = {}): InputDescription => ({
  name,
  description: '',
  type_bounds: types,
  required: true,
  default: null,
  json_schema: {},
  ...more,
});

const address = { pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$', patternDescription: expect.any(String) };
const whole = { pattern: '^-?[0-9]{1,39}$', patternDescription: expect.any(String) };
const number = { pattern: String.raw`^-?[0-9]{1,29}(\.[0-9]{1,28})?$`, patternDescription: expect.any(String) };

describe('the field of an input', () => {
  it.each<[string, InputDescription, object]>([
    [
      'an input that its author describes',
      input('to', ['string'], {
        description: 'Where we write to.',
        json_schema: { type: 'string', format: 'email', title: 'Address', description: 'Where we write to.' },
      }),
      { type: 'email', label: 'Address: Where we write to.' },
    ],
    ['a title of a port', input('to', ['string'], { json_schema: { type: 'string', title: 'URL' } }), {
      type: 'text',
      label: 'to',
    }],
    ['a key', input('to', ['pubkey']), { type: 'text', ...address }],
    ['a small integer', input('n', ['u8'], { json_schema: { type: 'integer', minimum: 0, maximum: 255 } }), {
      type: 'number',
      min: 0,
      max: 255,
      ...whole,
    }],
    [
      'an integer with a bound beyond the numbers of JavaScript',
      input('n', ['u64'], {
        json_schema: {
          anyOf: [{ type: 'integer', minimum: 0, maximum: 18446744073709551615n }, { type: 'string' }],
        },
      }),
      { type: 'number', min: 0, ...whole },
    ],
    [
      'an integer with narrower bounds of its node',
      input('n', ['u64'], {
        json_schema: { anyOf: [{ type: 'integer', minimum: 0 }, { type: 'string' }], minimum: 1, maximum: 9 },
      }),
      { type: 'number', min: 1, max: 9, ...whole },
    ],
    [
      'one of two integers',
      input('n', ['u16', 'i8'], {
        json_schema: {
          anyOf: [{ type: 'integer', minimum: 0, maximum: 65535 }, { type: 'integer', minimum: -128, maximum: 127 }],
        },
      }),
      { type: 'number', min: -128, max: 65535, ...whole },
    ],
    ['a decimal', input('amount', ['decimal'], { json_schema: { type: 'number' } }), { type: 'number', ...number }],
    ['one of two numbers', input('amount', ['u64', 'decimal']), { type: 'number', ...number }],
    ['a boolean', input('is', ['bool'], { default: true, required: false }), {
      type: 'select',
      label: 'is (true if left empty)',
      required: false,
      options: [{ label: 'yes', value: 'true', selected: true }, { label: 'no', value: 'false' }],
    }],
    ['a text', input('note', ['string'], { json_schema: { type: 'string', maxLength: 100 } }), {
      type: 'text',
      max: 100,
    }],
    [
      'a text of one of two lengths',
      input('code', ['string'], {
        json_schema: { anyOf: [{ type: 'string', minLength: 2, maxLength: 3 }, { minLength: 5, maxLength: 8 }] },
      }),
      { type: 'text', min: 2, max: 8 },
    ],
    [
      'a text of any length',
      input('code', ['string'], {
        json_schema: { anyOf: [{ type: 'string', minLength: 2 }, { type: 'integer' }] },
      }),
      { type: 'text' },
    ],
    ['a web address', input('page', ['string'], { json_schema: { type: 'string', format: 'uri' } }), {
      type: 'url',
    }],
    ['a day', input('on', ['string'], { json_schema: { type: 'string', format: 'date', maxLength: 10 } }), {
      type: 'date',
    }],
    ['an email address', input('mail', ['string'], { json_schema: { type: 'string', format: 'email' } }), {
      type: 'email',
    }],
    ['one of a list', input('size', ['string'], { json_schema: { enum: ['S', 'M'] } }), {
      type: 'select',
      options: [{ label: 'S', value: 'S' }, { label: 'M', value: 'M' }],
    }],
    ['an object', input('order', ['object']), { type: 'textarea' }],
    ['a signature', input('sig', ['signature']), {
      type: 'text',
      pattern: '^[1-9A-HJ-NP-Za-km-z]{64,88}$',
      patternDescription: expect.any(String),
    }],
    ['anything', input('any', ['free']), { type: 'text' }],
    ['an input of any type with a number as its default', input('any', ['free'], { default: 5, required: false }), {
      type: 'number',
      label: 'any (5 if left empty)',
      required: false,
      ...number,
    }],
    ['an input with a description', input('tip', ['string'], { description: 'For the cook.' }), {
      type: 'text',
      label: 'tip: For the cook.',
    }],
  ])('of %s', (_says, given, field) => {
    expect(parameterOf(given)).toEqual({ name: given.name, label: given.name, required: true, ...field });
  });

  it('has a label of limited length', () => {
    expect(parameterOf(input('x', ['string'], { description: 'y'.repeat(1_000) })).label).toHaveLength(200);
  });
});

describe('the input for the wallet', () => {
  const [buyer, shop, amount] = [input('buyer', ['keypair']), input('shop', ['pubkey']), input('amount', ['decimal'])];

  it('is the input named account, or else the only required input that takes a key', () => {
    const account = input('account', ['free'], { required: false });
    expect(payerOf([buyer, account, shop])).toBe(account);
    expect(payerOf([amount, buyer])).toBe(buyer);
    expect(payerOf([buyer, { ...shop, required: false }])).toBe(buyer);
    expect(payerOf([buyer, shop])).toBeUndefined();
    expect(payerOf([amount])).toBeUndefined();
    expect(payerOf([])).toBeUndefined();
  });
});

describe('the address that a wallet posts to', () => {
  it('holds the parameters of the link, the defaults, a template for each other field, and the order', () => {
    expect(hrefOf('/action/x', [], new Map(), 'o=1')).toBe('/action/x?o=1');
    const places = [{ name: 'a', fallback: undefined }, { name: 'b c', fallback: undefined }, {
      name: 'd',
      fallback: '1 2',
    }];
    expect(hrefOf('/action/x', places, new Map([['order', '1&2']]), 'o=1'))
      .toBe('/action/x?order=1%262&a={a}&b%20c={b c}&d=1%202&o=1');
  });
});
