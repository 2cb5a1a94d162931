import { expect, test } from 'vitest';
import { exactTime, shortTime, timeOfDay } from './dates.ts';

const AT = new Date(2026, 10, 28, 1, 47, 32);

test('dates are shown in words and in digits', () => {
  expect(exactTime(AT, 'age')).toBe(exactTime(AT, 'words'));
  expect(exactTime(AT, 'words')).toMatch(/^Nov 28, 2026, 1:47:32\sAM$/);
  expect([exactTime(AT, 'digits'), timeOfDay(AT, 'digits'), shortTime(AT, 'digits')])
    .toEqual(['2026-11-28 01:47:32', '01:47:32', '11-28 01:47']);
  expect(shortTime(AT, 'words')).toMatch(/^Nov 28, 01:47\sAM$/);
});
