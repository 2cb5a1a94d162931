import { describe, expect, it } from 'vitest';
import { retryAfterSeconds } from './post_webhook.ts';

describe('retryAfterSeconds', () => {
  const NOW = Date.parse('2026-11-23T07:00:00Z');

  it.each<[string | undefined, number | undefined]>([
    [undefined, undefined],
    ['120', 120],
    ['0', undefined],
    ['999999999999', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['Mon, 23 Nov 2026 07:02:00 GMT', 120],
    ['Mon, 23 Nov 2026 06:59:00 GMT', undefined],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 999_999_999],
  ])('of %j is %j', (header, seconds) => {
    expect(retryAfterSeconds(header, NOW)).toBe(seconds);
  });
});
