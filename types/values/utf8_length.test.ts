import { expect, it } from 'vitest';
import { utf8Length } from './utf8_length.ts';

it.each(['', 'a', '\0\n\x7f', '\x80', 'é', 'a\u2028', '😀', '\ud800', 'a\né'])('counts the bytes of %j', (text) => {
  expect(utf8Length(text)).toBe(Buffer.byteLength(text));
});
