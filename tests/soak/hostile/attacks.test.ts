import { expect, it } from 'vitest';
import { DEFAULT_PRESSURE } from '../options.ts';
import { attacks, chooseAttacks } from './attacks.ts';

const lanesOf = (chosen: { lanes: number }[]) => chosen.reduce((sum, { lanes }) => sum + lanes, 0);

it('the pressure of a hostile soak is the number of its connections, divided among the attacks', () => {
  expect(chooseAttacks(DEFAULT_PRESSURE)).toEqual(attacks);
  expect(lanesOf(attacks)).toBe(DEFAULT_PRESSURE);
  expect(lanesOf(chooseAttacks(10 * DEFAULT_PRESSURE))).toBe(10 * DEFAULT_PRESSURE);
  expect(chooseAttacks(1).every(({ lanes }) => lanes === 1)).toBe(true);
});

it('a hostile soak runs the attacks that match a text, and lists all of them if none matches', () => {
  expect(chooseAttacks(DEFAULT_PRESSURE, 'rows').map(({ name }) => name)).toEqual([
    'rows without end',
    'rows beyond each quota, one at a time',
  ]);
  expect(() => chooseAttacks(DEFAULT_PRESSURE, 'nothing')).toThrow('rows without end');
});
