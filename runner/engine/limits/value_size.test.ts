import { expect, it } from 'vitest';
import { measureMap, measureValue } from './value_size.ts';

it('names count as UTF-8, in a map of ports as in a value', () => {
  const text = { S: '' };
  expect(measureMap({ é: text })).toBe(measureMap({ ab: text }));
  expect(measureValue({ M: { é: text } })).toEqual(measureValue({ M: { ab: text } }));
});
