import fc from 'fast-check';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { Decimal } from './decimal.ts';
import {
  floatToPlainText,
  formatFloat,
  MAX_NUMBER_CHARACTERS,
  numberOfDigits,
  parseDecimal,
  parseDecimalNumber,
  parseFloatText,
  parseInteger,
  plainDigits,
  trimTrailingZeros,
} from './number_text.ts';

describe('parseInteger', () => {
  it.each([
    ['7', '7'],
    ['+007', '7'],
    ['-0', '0'],
    ['10', '10'],
    ['11', undefined],
    ['-1', '-1'],
    ['-2', undefined],
    ['', undefined],
    ['1.0', undefined],
    ['1e1', undefined],
    [' 1', undefined],
    ['٣', undefined],
  ])(
    'reads %j as %j between -1 and 10',
    (text, expected) => expect(parseInteger(text, -1n, 10n)).toBe(expected),
  );

  it('returns every integer in range unchanged', () => {
    fc.assert(fc.property(fc.bigInt({ min: -(2n ** 127n), max: 2n ** 128n - 1n }), (value) => {
      expect(parseInteger(String(value), -(2n ** 127n), 2n ** 128n - 1n)).toBe(String(value));
    }));
  });
});

describe('parseDecimal', () => {
  it.each([
    ['1.50', '1.50'],
    ['+1.5', '1.5'],
    ['-0.0', '0.0'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['007.10', '7.10'],
    ['79228162514264337593543950335', '79228162514264337593543950335'],
    ['79228162514264337593543950336', undefined],
    [`0.${'0'.repeat(27)}1`, `0.${'0'.repeat(27)}1`],
    [`0.${'0'.repeat(28)}1`, undefined],
    ['1e5', undefined],
    ['.', undefined],
    ['', undefined],
    ['abc', undefined],
  ])('reads %j as %j', (text, expected) => expect(parseDecimal(text)).toBe(expected));

  it('keeps every digit of a decimal that fits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 96n - 1n }), fc.integer({ min: 1, max: 28 }), (mantissa, scale) => {
        const digits = String(mantissa).padStart(scale + 1, '0');
        const text = `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
        expect(parseDecimal(text)).toBe(text);
      }),
    );
  });
});

describe('parseDecimalNumber', () => {
  it.each([
    ['1e5', '100000'],
    ['1.5e-3', '0.0015'],
    ['-2.50E1', '-25.0'],
    ['1e28', `1${'0'.repeat(28)}`],
    ['1e29', undefined],
    ['1e-29', undefined],
    ['1e999999999', undefined],
  ])(
    'reads %j as %j',
    (text, expected) => expect(parseDecimalNumber(text)).toBe(expected),
  );
});

describe('formatFloat', () => {
  it.each([
    [5, '5.0'],
    [-0, '-0.0'],
    [0.1, '0.1'],
    [1e15, '1000000000000000.0'],
    [1e16, '1e16'],
    [1.5e300, '1.5e300'],
    [0.00001, '0.00001'],
    [1e-7, '1e-7'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'inf'],
    [Number.NEGATIVE_INFINITY, '-inf'],
  ])('writes %d as %j', (value, expected) => expect(formatFloat(value)).toBe(expected));

  it('writes a text that reads as the same float', () => {
    fc.assert(fc.property(fc.double(), (value) => {
      const text = formatFloat(value);
      expect(parseFloatText(text)).toBe(text);
      if (Number.isFinite(value)) expect(Object.is(Number(text), value)).toBe(true);
    }));
  });
});

describe('floatToPlainText', () => {
  it.each([['5.0', '5'], ['1e16', '10000000000000000'], ['1e-7', '0.0000001'], ['-1.5e3', '-1500'], ['0.25', '0.25'], [
    'NaN',
    'NaN',
  ], ['-inf', '-inf']])(
    'writes %j as %j',
    (text, expected) => expect(floatToPlainText(text)).toBe(expected),
  );

  it('writes a text of the same float', () => {
    fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(Number(floatToPlainText(formatFloat(value)))).toBe(value);
    }));
  });
});

describe('a long text', () => {
  const exec = vi.spyOn(RegExp.prototype, 'exec');
  afterAll(() => exec.mockRestore());

  it.each<[string, (text: string) => unknown]>([
    ['parseInteger', (text) => parseInteger(text, 0n, 10n)],
    ['parseDecimal', parseDecimal],
    ['parseDecimalNumber', parseDecimalNumber],
    ['parseFloatText', parseFloatText],
    ['Decimal.parse', (text) => Decimal.parse(text)],
    ['Decimal.parseNumber', (text) => Decimal.parseNumber(text)],
  ])('is refused by %s before any pattern sees it', (_name, parse) => {
    for (
      const text of ['1'.repeat(MAX_NUMBER_CHARACTERS + 1), `${'1'.repeat(1_048_576)}x`, `1.${'0'.repeat(1_048_576)}1`]
    ) {
      exec.mockClear();
      expect(parse(text)).toBeUndefined();
      expect(exec).not.toHaveBeenCalled();
    }
    parse('1');
    expect(exec).toHaveBeenCalled();
  });

  it('is returned unchanged by floatToPlainText', () => {
    const text = `1.${'0'.repeat(1_048_576)}1`;
    exec.mockClear();
    expect(floatToPlainText(text)).toBe(text);
    expect(floatToPlainText('1e999999999')).toBe('1e999999999');
    expect(exec).toHaveBeenCalledTimes(1);
  });
});

describe('trimTrailingZeros', () => {
  it.each([['', ''], ['0', ''], ['100', '1'], ['1.50', '1.5'], ['1', '1'], [`${'0'.repeat(100_000)}1`, undefined]])(
    'of %j gives %j',
    (text, expected) => expect(trimTrailingZeros(text)).toBe(expected ?? text),
  );
});

describe('plainDigits', () => {
  it.each([
    ['2.20', '2.2'],
    ['5.00', '5'],
    ['-0.50', '-0.5'],
    ['0.0', '0'],
    ['-0', '0'],
    ['007.5', '7.5'],
    ['100', '100'],
    ['1.10000000000000000001', '1.10000000000000000001'],
  ])('of %s gives %s', (text, digits) => expect(plainDigits(text)).toBe(digits));
});

describe('numberOfDigits', () => {
  it.each<[digits: string, number: number | undefined]>([
    ['5', 5],
    ['-2.5', -2.5],
    ['0.0000001', 1e-7],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', undefined],
    ['-9007199254740993', undefined],
    ['0.30000000000000004', 0.30000000000000004],
    ['1.10000000000000000001', undefined],
    ['4.99999999999999999999', undefined],
    ['9007199254740993.5', undefined],
  ])('of %s gives %s', (digits, number) => expect(numberOfDigits(digits)).toBe(number));
});
