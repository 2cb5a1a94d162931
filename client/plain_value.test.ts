import { expect, it } from 'vitest';
import { FlowError } from './flow_error.ts';
import { fromValue, toValue } from './plain_value.ts';

const KEY = 'So11111111111111111111111111111111111111112';

it.each(
  [
    [{ N: 0 }, null],
    [{ S: 'tea' }, 'tea'],
    [{ B: true }, true],
    [{ U: '18446744073709551615' }, 18446744073709551615n],
    [{ I: '-7' }, -7n],
    [{ U1: '340282366920938463463374607431768211455' }, 340282366920938463463374607431768211455n],
    [{ I1: '-170141183460469231731687303715884105728' }, -170141183460469231731687303715884105728n],
    [{ F: '1e-7' }, 1e-7],
    [{ F: 'NaN' }, NaN],
    [{ F: '-inf' }, -Infinity],
    [{ D: '2.20' }, '2.20'],
    [{ B3: KEY }, KEY],
    [{ BY: 'AQI=' }, new Uint8Array([1, 2])],
    [{ A: [{ U: '1' }, { S: 'x' }] }, [1n, 'x']],
    [{ M: { a: { N: 0 } } }, { a: null }],
  ] as const,
)('%j is %s in JavaScript', (value, plain) => {
  expect(fromValue(value as never)).toEqual(plain);
});

it('treats a member called __proto__ like any other', () => {
  const plain = fromValue({ M: JSON.parse('{"__proto__": {"S": "x"}}') }) as object;
  expect(Object.keys(plain)).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(plain)).toBe(Object.prototype);
});

it.each([[1n, { U: '1' }], [1.5, { D: '1.5' }], [new Uint8Array(32), { B3: '1'.repeat(32) }], [undefined, undefined]])(
  'toValue of %s',
  (plain, value) => {
    if (value === undefined) expect(() => toValue(plain)).toThrow(FlowError);
    else expect(toValue(plain)).toEqual(value);
  },
);

it('refuses an unconvertible value with its path', () => {
  expect(() => fromValue({ A: [{ U: 'x' }] } as never)).toThrow(/A\.0\.U: must be an integer/);
  expect(() => toValue({ a: [new Date(0)] })).toThrow(/a\.0: an instance of Date has no value form/);
});
