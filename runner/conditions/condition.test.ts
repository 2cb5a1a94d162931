import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fuzzCases } from '../../tests/support/fuzz_cases.ts';
import { anyValue } from '../../tests/support/values.ts';
import { ConversionError } from '../../types/values/conversion.ts';
import { bytesToValue, type Value, type ValueMap } from '../../types/values/value.ts';
import { judge, OPERATORS, readCondition } from './condition.ts';
import { areEqual, canonicalText } from './equality.ts';
import { compareNumbers, numberOf } from './numbers.ts';

const s = (S: string): Value => ({ S });
const u = (U: number | bigint): Value => ({ U: String(U) });
const d = (D: string): Value => ({ D });
const f = (F: string): Value => ({ F });
const KEY = bytesToValue(new Uint8Array(32).fill(7));
const KEY_TEXT = Object.values(KEY)[0] as string;

/** Judges a value as a node would. */
const judged = (value: Value, operator: string, other?: Value, field?: string): boolean => {
  const parts: ValueMap = { operator: s(operator) };
  if (other !== undefined) parts.compare_to = other;
  if (field !== undefined) parts.field = s(field);
  return judge(readCondition(parts), value, 'value');
};

const USER: Value = {
  M: { user: { M: { name: s('Ada'), tags: { A: [s('x'), { M: { id: u(5) } }] }, none: { N: 0 } } } },
};

it.each<[Value, string, Value | undefined, boolean]>([
  [{ N: 0 }, 'is_null', undefined, true],
  [s(''), 'is_null', undefined, false],
  [{ N: 0 }, 'is_not_null', undefined, false],
  [{ B: false }, 'is_not_null', undefined, true],
  [{ B: true }, 'is_true', undefined, true],
  [{ B: false }, 'is_true', undefined, false],
  [{ B: false }, 'is_false', undefined, true],
  [{ N: 0 }, 'is_empty', undefined, true],
  [s(''), 'is_empty', undefined, true],
  [s(' '), 'is_empty', undefined, false],
  [{ A: [] }, 'is_empty', undefined, true],
  [{ A: [{ N: 0 }] }, 'is_empty', undefined, false],
  [{ M: {} }, 'is_empty', undefined, true],
  [{ M: { toString: s('') } }, 'is_empty', undefined, false],
  [{ BY: '' }, 'is_empty', undefined, true],
  [u(0), 'is_empty', undefined, false],
  [{ B: false }, 'is_not_empty', undefined, true],
  // A part that an operator does not need is ignored.
  [{ N: 0 }, 'is_null', s('ignored'), true],
  [s('a'), 'eq', s('a'), true],
  [s('a'), 'eq', s('A'), false],
  [s('a'), 'ne', s('A'), true],
  [s('5'), 'eq', u(5), false],
  [{ N: 0 }, 'eq', { N: 0 }, true],
  [{ N: 0 }, 'eq', { B: false }, false],
  [{ B: true }, 'eq', { B: true }, true],
  [{ A: [u(1), { M: { x: d('2.0'), y: s('') } }] }, 'eq', { A: [d('1.00'), { M: { y: s(''), x: u(2) } }] }, true],
  [{ M: { x: u(1) } }, 'eq', { M: { y: u(1) } }, false],
  [{ M: { x: u(1) } }, 'eq', { M: { x: u(1), y: u(1) } }, false],
  [{ A: [u(1)] }, 'eq', { A: [u(1), u(1)] }, false],
  [KEY, 'eq', s(KEY_TEXT), true],
  [s(KEY_TEXT), 'eq', KEY, true],
  [KEY, 'ne', s('other'), true],
  // Numbers compare by value. Tag, trailing zeros and size do not matter.
  [u(5), 'eq', { I: '5' }, true],
  [u(5), 'eq', d('5.00'), true],
  [{ U1: '5' }, 'eq', f('5.0'), true],
  [u(2n ** 64n - 1n), 'eq', f('1.8446744073709552e19'), false],
  [u(2n ** 64n - 1n), 'lt', { U1: String(2n ** 64n) }, true],
  [{ I1: String(-(2n ** 127n)) }, 'lt', { I1: String(1n - 2n ** 127n) }, true],
  [d('0.1234567890123456789012345678'), 'gt', d('0.1234567890123456789012345677'), true],
  [d('0.1'), 'eq', f('0.1'), true],
  [f('1e300'), 'gt', { U1: String(2n ** 128n - 1n) }, true],
  [f('1e-7'), 'gt', { D: '0' }, true],
  [f('-0.0'), 'eq', u(0), true],
  [f('5e-324'), 'gt', f('-1.7976931348623157e308'), true],
  [f('inf'), 'gt', { U1: '1' }, true],
  [f('inf'), 'eq', f('inf'), true],
  [f('-inf'), 'lt', f('inf'), true],
  [f('NaN'), 'eq', f('NaN'), false],
  [f('NaN'), 'ne', f('NaN'), true],
  [f('NaN'), 'gte', u(0), false],
  [f('NaN'), 'lte', u(0), false],
  [u(5), 'gte', u(5), true],
  [u(5), 'lte', u(5), true],
  [u(5), 'gt', u(5), false],
  [{ I: '-1' }, 'lt', u(0), true],
  [s('flow'), 'contains', s('lo'), true],
  [s('flow'), 'contains', s(''), true],
  [s('flow'), 'contains', s('x'), false],
  [{ A: [s('x'), d('5.0')] }, 'contains', u(5), true],
  [{ A: [] }, 'contains', { N: 0 }, false],
  [s('flow'), 'starts_with', s('fl'), true],
  [s('flow'), 'starts_with', s('ow'), false],
  [s('flow'), 'ends_with', s('ow'), true],
])('the condition of %j %s %j is %s', (value, operator, other, expected) => {
  expect(judged(value, operator, other)).toBe(expected);
});

it.each<[string, string, Value | undefined, boolean]>([
  ['user.name', 'eq', s('Ada'), true],
  ['user.tags.1.id', 'gt', u(4), true],
  ['user.tags.01', 'is_null', undefined, true],
  ['user.none', 'is_null', undefined, true],
  ['user.missing', 'is_null', undefined, true],
  ['user.missing.deeper', 'is_empty', undefined, true],
  ['user.missing', 'eq', { N: 0 }, true],
  ['user.missing', 'ne', s('x'), true],
  ['user.toString', 'is_null', undefined, true],
  ['__proto__', 'is_null', undefined, true],
  ['', 'is_not_null', undefined, true],
])('the condition of the field %j with %s %j is %s', (field, operator, other, expected) => {
  expect(judged(USER, operator, other, field)).toBe(expected);
});

const LIST = OPERATORS.join(', ');

it.each<[Value, string, Value | undefined, string | undefined, string]>([
  [u(1), 'equals', undefined, undefined, `operator: must be one of ${LIST}`],
  [u(1), 'toString', undefined, undefined, `operator: must be one of ${LIST}`],
  [u(1), 'eq', undefined, undefined, 'missing field `compare_to`'],
  [u(1), 'gt', s('x'), undefined, 'compare_to: invalid type: string, expected a number'],
  [s('x'), 'gt', u(1), undefined, 'value: invalid type: string, expected a number'],
  [{ N: 0 }, 'is_true', undefined, undefined, 'value: invalid type: unit value, expected a boolean'],
  [u(1), 'contains', s('1'), undefined, 'value: invalid type: integer `1`, expected a string or an array'],
  [s('1'), 'contains', u(1), undefined, 'compare_to: invalid type: integer `1`, expected a string'],
  [s('1'), 'starts_with', u(1), undefined, 'compare_to: invalid type: integer `1`, expected a string'],
  [USER, 'gt', u(1), 'user.age', 'value: at the path in field: there is no value, expected a number'],
  [USER, 'gt', u(1), 'user.name', 'value: at the path in field: invalid type: string, expected a number'],
  [USER, 'eq', u(1), 'user..name', 'field: must be names with single dots between them, such as user.name'],
  [USER, 'eq', u(1), 'a'.repeat(1_025), 'field: must have at most 1024 characters'],
])('the condition of %j %s %j with the field %j is refused: %s', (value, operator, other, field, message) => {
  expect(() => judged(value, operator, other, field)).toThrow(message);
});

it('a field that is no text is refused, and null is no field', () => {
  expect(() => readCondition({ operator: s('is_null'), field: u(1) })).toThrow('field: invalid type: integer `1`');
  expect(judge(readCondition({ operator: s('is_null'), field: { N: 0 } }), { N: 0 }, 'value')).toBe(true);
});

it('a search for a long text that almost occurs everywhere reads each character of the searched text a few times', () => {
  const text = 'a'.repeat(500_000);
  expect(judged(s(text), 'contains', s(`b${'a'.repeat(250_000)}`))).toBe(false);
  expect(judged(s(text), 'contains', s('a'.repeat(250_000)))).toBe(true);
});

const pathText = fc.oneof(
  fc.constant(''),
  fc.array(fc.constantFrom('a', '0', '__proto__', 'constructor', '-', 'a/b', ''), { maxLength: 4 })
    .map((names) => names.join('.')),
  fc.string({ maxLength: 20 }),
);

it('a condition that fails names its input, whatever its operator, field and value are', () => {
  const operator = fc.oneof(fc.constantFrom(...OPERATORS).map((S): Value => ({ S })), anyValue);
  fc.assert(
    fc.property(anyValue, operator, fc.option(anyValue), pathText, (value, operator, other, field) => {
      const parts: ValueMap = { operator, field: s(field), ...(other !== null && { compare_to: other }) };
      try {
        expect(judge(readCondition(parts), value, 'value')).toBeTypeOf('boolean');
      } catch (error) {
        expect(error).toBeInstanceOf(ConversionError);
        expect((error as ConversionError).input).toMatch(/^(value|operator|field|compare_to)$/);
      }
    }),
    { numRuns: fuzzCases(400) },
  );
});

it('equality is reflexive and symmetric, and agrees with the order of numbers', () => {
  const isNaNFree = (value: Value) => !JSON.stringify(value).includes('"NaN"');
  fc.assert(
    fc.property(anyValue, anyValue, (a, b) => {
      if (isNaNFree(a)) expect(areEqual(a, a)).toBe(true);
      expect(areEqual(a, b)).toBe(areEqual(b, a));
    }),
    { numRuns: fuzzCases(200) },
  );
  const numbers = fc.oneof(
    fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n - 1n }).map((I1): [Value, bigint] => [{ I1: String(I1) }, I1]),
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((U): [Value, bigint] => [{ U: String(U) }, U]),
    fc.bigInt({ min: -(2n ** 90n), max: 2n ** 90n }).map((D): [Value, bigint] => [{ D: `${D}.00` }, D]),
  );
  fc.assert(
    fc.property(numbers, numbers, ([a, bigA], [b, bigB]) => {
      expect(judged(a, 'lt', b)).toBe(bigA < bigB);
      expect(judged(a, 'gte', b)).toBe(bigA >= bigB);
      expect(judged(a, 'eq', b)).toBe(bigA === bigB);
    }),
    { numRuns: fuzzCases(300) },
  );
});

it('values share a canonical text exactly if they are equal', () => {
  const numbers = fc.constantFrom<Value>(
    u(1),
    u(10),
    d('1.0'),
    d('0.1'),
    d('-10'),
    f('1e1'),
    f('1e300'),
    f('1e-300'),
    f('-1e-300'),
    d('0.00'),
    f('-0.0'),
    s('1'),
    { A: [u(1)] },
    { A: [d('1.00')] },
  );
  fc.assert(
    fc.property(fc.oneof(numbers, anyValue), fc.oneof(numbers, anyValue), (a, b) => {
      fc.pre(!JSON.stringify([a, b]).includes('NaN'));
      expect(canonicalText(a) === canonicalText(b)).toBe(areEqual(a, b));
      expect(canonicalText(a)).toBe(canonicalText(structuredClone(a)));
    }),
    { numRuns: fuzzCases(500) },
  );
});

it('numbers of any size are in order', () => {
  const ordered = [
    f('-inf'),
    f('-1e300'),
    d('-10'),
    d('-9.99'),
    f('-1e-300'),
    u(0),
    f('1e-300'),
    d('0.5'),
    u(5),
    d('5.01'),
    f('1e300'),
    f('inf'),
  ];
  const pairs = ordered.flatMap((a, i) =>
    ordered.map((b, j) => [compareNumbers(numberOf(a)!, numberOf(b)!), Math.sign(i - j)])
  );
  expect(pairs.filter(([found, expected]) => found !== expected)).toEqual([]);
});
