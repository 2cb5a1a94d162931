import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countText, findText, occurrences, replaceText, splitText, trimText, wordsOf } from './text_search.ts';

/** Texts with many repetitions. In such texts, a faulty search fails or becomes slow. */
const periodic = (min: number, max: number) =>
  fc.tuple(
    fc.array(fc.constantFrom('a', 'b', '😀'), { minLength: 1, maxLength: 4 }),
    fc.integer({ min, max }),
    fc.nat(3),
  )
    .map(([unit, count, rest]) => unit.join('').repeat(count) + unit.slice(0, rest).join(''));

const search = fc.tuple(periodic(60, 300), periodic(30, 120), fc.boolean(), fc.nat(40)).map((
  [text, pattern, isWithin, place],
) => [isWithin ? text.slice(0, place) + pattern + text.slice(place) : text, pattern] as const);

describe('a search in texts', () => {
  it('finds the same as the engine, however long the pattern is', () => {
    fc.assert(
      fc.property(search, fc.nat(100), ([text, pattern], from) => {
        expect(findText(text, pattern, from)).toBe(text.indexOf(pattern, from));
        expect(splitText(text, pattern)).toEqual(text.split(pattern));
        expect(replaceText(text, pattern, '$&-')).toBe(text.split(pattern).join('$&-'));
        expect(countText(text, pattern)).toBe(text.split(pattern).length - 1);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['b', 'a', 25_000],
    ['', 'ab', 12_000],
    ['ba', 'a', 25_000],
  ])('reads each unit a few times only: %s%s × %i', (start, unit, count) => {
    const text = 'a'.repeat(50_000);
    const pattern = start + unit.repeat(count) + (start === '' ? 'c' : '');
    let looks = 0;
    const counted = (of: string): string =>
      // SAFETY: a search of a long pattern reads lengths and units only.
      ({ length: of.length, charCodeAt: (at: number) => (looks++, of.charCodeAt(at)) }) as unknown as string;
    expect([...occurrences(counted(text), counted(pattern))]).toEqual([]);
    expect(looks).toBeLessThan(6 * (text.length + pattern.length));
  });
});

describe('white space', () => {
  const spaced = fc.array(
    fc.constantFrom(' ', '\t', '\u0085', '\u00a0', '\u2028', '\u3000', '\ufeff', 'a', '😀', '\u200b'),
  )
    .map((parts) => parts.join(''));

  it('is that of Unicode, where Rust trims and splits', () => {
    fc.assert(
      fc.property(spaced, (text) => {
        expect(trimText(text)).toBe(text.replace(/^\p{White_Space}+/u, '').replace(/\p{White_Space}+$/u, ''));
        expect(wordsOf(text)).toEqual(text.split(/\p{White_Space}+/u).filter((word) => word !== ''));
      }),
    );
    const units = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit));
    expect(units.filter((unit) => trimText(unit) === '')).toEqual(
      units.filter((unit) => /\p{White_Space}/u.test(unit)),
    );
  });
});
