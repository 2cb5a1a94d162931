import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { parseLosslessJson } from './json_text.ts';

const limits = { characters: 1_000, depth: 3, members: 10 };

describe('a JSON text within its limits', () => {
  it.each([
    '[[[]]]',
    '{"a":{"b":{"c":1}}}',
    '[1,2,3,4,5,6,7,8]',
    `"${'[{,'.repeat(300)}"`,
    '["\\"[[[[[[[[[[[[,,,,,,,,,,,,", "\\\\"]',
    'null',
    `"${'x'.repeat(998)}"`,
  ])('is parsed: %.40s', (text) => {
    expect(JSON.stringify(parseLosslessJson(text, limits))).toBe(JSON.stringify(parse(text)));
  });
});

describe('a JSON text beyond a limit', () => {
  it.each([
    // Only the first text is JSON. The parser would refuse the other texts.
    [`"${'x'.repeat(999)}"`, 'is larger than 1000 characters'],
    ['[[[[', 'is nested deeper than 3 levels'],
    ['{"a":{"b":{"c":{}', 'is nested deeper than 3 levels'],
    ['[1,2,3,4,5,6,7,8,9,10', 'holds more than 10 values'],
    ['[[],[],[],[],[],[]', 'holds more than 10 values'],
    ['["\\\\",[[[', 'is nested deeper than 3 levels'],
  ])('is refused before it is parsed: %.40s', (text, message) => {
    expect(() => parseLosslessJson(text, limits)).toThrow(message);
  });
});
