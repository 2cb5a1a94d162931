import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalText, mantissas, scales } from '../../tests/support/values.ts';
import { Decimal } from './decimal.ts';

const MAX = 2n ** 96n - 1n;

/** A decimal as two integers: mantissa · 10^-scale. */
interface Parts {
  mantissa: bigint;
  scale: number;
}

const parts: fc.Arbitrary<Parts> = fc.record({ mantissa: mantissas, scale: scales });

const make = ({ mantissa, scale }: Parts): Decimal => Decimal.parse(decimalText(mantissa, scale))!;
const abs = (integer: bigint): bigint => integer < 0n ? -integer : integer;

/** Divides and rounds half to even. */
function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  const isNegative = numerator < 0n !== denominator < 0n;
  const [above, below] = [abs(numerator), abs(denominator)];
  const floor = above / below;
  const twice = above % below * 2n;
  const rounded = twice > below || (twice === below && floor % 2n === 1n) ? floor + 1n : floor;
  return isNegative ? -rounded : rounded;
}

/** Returns a quotient as text, with the wanted places or with as many of them as fit 96 bits. */
function fit(numerator: bigint, denominator: bigint, wantedScale: number): string | undefined {
  for (let scale = Math.min(Math.max(wantedScale, 0), 28); scale >= 0; scale--) {
    const mantissa = divideHalfEven(numerator * 10n ** BigInt(scale), denominator);
    if (abs(mantissa) <= MAX) return decimalText(mantissa, scale);
  }
  return undefined;
}

/** Returns the mantissas of both decimals at the greater of their scales, and this scale. */
function aligned(a: Parts, b: Parts): [bigint, bigint, number] {
  const scale = Math.max(a.scale, b.scale);
  const at = ({ mantissa, scale: own }: Parts) => mantissa * 10n ** BigInt(scale - own);
  return [at(a), at(b), scale];
}

const RUNS = { numRuns: 500 };

describe('Decimal against integer arithmetic', () => {
  it('keeps the greater scale in sums and differences', () => {
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        const [x, y, scale] = aligned(a, b);
        const unit = 10n ** BigInt(scale);
        expect(make(a).plus(make(b))?.toString()).toBe(fit(x + y, unit, scale));
        expect(make(a).minus(make(b))?.toString()).toBe(fit(x - y, unit, scale));
      }),
      RUNS,
    );
  });

  it('adds the scales in products', () => {
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        const scale = a.scale + b.scale;
        expect(make(a).times(make(b))?.toString()).toBe(fit(a.mantissa * b.mantissa, 10n ** BigInt(scale), scale));
      }),
      RUNS,
    );
  });

  it('gives a quotient the places that it needs, and at least those that the dividend has beyond the divisor', () => {
    fc.assert(
      fc.property(parts, parts.filter(({ mantissa }) => mantissa !== 0n), (a, b) => {
        const [numerator, denominator] = aligned(a, b);
        let needed = 0;
        while (needed < 28 && numerator * 10n ** BigInt(needed) % denominator !== 0n) needed++;
        const wanted = Math.max(needed, a.scale - b.scale);
        expect(make(a).dividedBy(make(b))?.toString()).toBe(fit(numerator, denominator, wanted));
      }),
      RUNS,
    );
  });

  it("gives remainders the dividend's sign", () => {
    fc.assert(
      fc.property(parts, parts.filter(({ mantissa }) => mantissa !== 0n), (a, b) => {
        const [x, y, scale] = aligned(a, b);
        expect(make(a).modulo(make(b))?.toString()).toBe(fit(x % y, 10n ** BigInt(scale), scale));
      }),
      RUNS,
    );
  });

  it('rounds half to even, and down, up and towards zero', () => {
    fc.assert(
      fc.property(parts, scales, (a, places) => {
        const unit = 10n ** BigInt(a.scale);
        const truncated = a.mantissa / unit;
        const isWhole = a.mantissa % unit === 0n;
        const decimal = make(a);
        expect(decimal.rounded(places).toString()).toBe(fit(a.mantissa, unit, Math.min(places, a.scale)));
        expect(decimal.truncated().toString()).toBe(String(truncated));
        expect(decimal.floor().toString()).toBe(String(isWhole || a.mantissa > 0n ? truncated : truncated - 1n));
        expect(decimal.ceil().toString()).toBe(String(isWhole || a.mantissa < 0n ? truncated : truncated + 1n));
        expect(decimal.toBigInt()).toBe(truncated);
        expect(decimal.isInteger()).toBe(isWhole);
      }),
      RUNS,
    );
  });

  it('compares by value, whatever the scale', () => {
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        const [x, y] = aligned(a, b);
        expect(make(a).compare(make(b))).toBe(x < y ? -1 : x > y ? 1 : 0);
        expect(make(a).isNegative()).toBe(a.mantissa < 0n);
        expect(make(a).isZero()).toBe(a.mantissa === 0n);
      }),
      RUNS,
    );
  });

  it('converts to texts, integers, signs and the nearest float', () => {
    fc.assert(fc.property(parts, (a) => {
      const text = decimalText(a.mantissa, a.scale);
      const decimal = make(a);
      expect(decimal.toString()).toBe(text);
      expect(decimal.negated().toString()).toBe(decimalText(-a.mantissa, a.scale));
      expect(decimal.abs().toString()).toBe(decimalText(abs(a.mantissa), a.scale));
      expect(decimal.toNumber()).toBe(Number(text));
      expect(Decimal.fromBigInt(a.mantissa)?.toString()).toBe(String(a.mantissa));
      expect(Decimal.parseNumber(text)?.toString()).toBe(text);
      expect(Decimal.parseNumber(`${a.mantissa}e-${a.scale}`)?.toString()).toBe(text);
    }));
  });
});

describe('Decimal at its limits', () => {
  const decimal = (text: string) => Decimal.parse(text)!;
  const max = decimal(String(MAX));
  const smallest = decimal(decimalText(1n, 28));

  it('is undefined if not even the integer part fits', () => {
    expect(max.plus(decimal('1'))).toBeUndefined();
    expect(max.negated().minus(decimal('1'))).toBeUndefined();
    expect(max.times(decimal('1.1'))).toBeUndefined();
    expect(max.dividedBy(smallest)).toBeUndefined();
    expect(Decimal.fromBigInt(MAX + 1n)).toBeUndefined();
    expect(Decimal.fromNumber(1e29)).toBeUndefined();
    expect(Decimal.fromNumber(Number.NaN)).toBeUndefined();
    expect(Decimal.fromNumber(Number.POSITIVE_INFINITY)).toBeUndefined();
  });

  it('is undefined for a division by zero, of any scale', () => {
    expect(decimal('1').dividedBy(decimal('0.00'))).toBeUndefined();
    expect(decimal('0').modulo(decimal('0'))).toBeUndefined();
  });

  it.each([
    ['1.5', '0.00', '1.50'],
    ['79228162514264337593543950335', '0.4', '79228162514264337593543950335'],
    // A sum halfway between two decimals becomes the even decimal. If the sum is halfway above the largest decimal, the
    // even number is too large.
    ['79228162514264337593543950334', '0.5', '79228162514264337593543950334'],
    ['79228162514264337593543950335', '0.5', undefined],
    ['79228162514264337593543950333', '0.5', '79228162514264337593543950334'],
  ])('adds %s and %s', (a, b, sum) => {
    expect(decimal(a).plus(decimal(b))?.toString()).toBe(sum);
  });

  it('has no negative zero', () => {
    const zeros = [
      decimal('-0.0'),
      decimal('-1').plus(decimal('1')),
      decimal('-0.4').rounded(),
      decimal('-0.4').ceil(),
      decimal('-0.4').truncated(),
      decimal('0').negated(),
      decimal('0').times(decimal('-1')),
      smallest.negated().times(decimal('0.1')),
      decimal('0').dividedBy(decimal('-3')),
      decimal('-3').modulo(decimal('3')),
      Decimal.fromNumber(-0),
    ];
    for (const zero of zeros) {
      expect(zero?.toString()).toMatch(/^0(\.0+)?$/);
      expect(zero?.isNegative()).toBe(false);
    }
  });

  it.each([
    ['0.1', '0.1'],
    ['1e-7', '0.0000001'],
    ['1e28', `1${'0'.repeat(28)}`],
    ['5e-324', `0.${'0'.repeat(28)}`],
    ['0.30000000000000004', '0.30000000000000004'],
  ])('reads the float %s as %s', (float, text) => {
    expect(Decimal.fromNumber(Number(float))?.toString()).toBe(text);
  });

  it.each([
    ['1e5', '100000'],
    ['+1.50E+1', '15.0'],
    ['-.5', '-0.5'],
    ['5.', '5'],
    [`0.${'0'.repeat(28)}5`, `0.${'0'.repeat(28)}`],
    [`0.${'0'.repeat(28)}51`, `0.${'0'.repeat(27)}1`],
    ['7.92281625142643375935439503355', '7.922816251426433759354395034'],
    ['1e-999999999', `0.${'0'.repeat(28)}`],
    ['1e999999999', undefined],
    ['79228162514264337593543950335.5', undefined],
    ['.', undefined],
    ['', undefined],
    ['e5', undefined],
    ['1e', undefined],
    ['1 000', undefined],
    ['0x10', undefined],
    ['Infinity', undefined],
    ['9'.repeat(1_001), undefined],
  ])('reads the number %.40s as %s', (text, expected) => {
    expect(Decimal.parseNumber(text)?.toString()).toBe(expected);
  });
});
