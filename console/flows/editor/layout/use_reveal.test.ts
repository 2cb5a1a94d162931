import { expect, test } from 'vitest';
import { shiftInto } from './use_reveal.ts';

test('a visible stretch does not move, and a hidden one moves as little as possible', () => {
  expect(shiftInto(0, 240, 1_000)).toBe(0);
  expect(shiftInto(700, 940, 1_000)).toBe(0);
  expect(shiftInto(900, 1_140, 1_000)).toBe(-164);
  expect(shiftInto(-100, 140, 1_000)).toBe(124);
  // The stretch is longer than the canvas, so only its start can be shown.
  expect(shiftInto(300, 1_900, 1_000)).toBe(-276);
});
