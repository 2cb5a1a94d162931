import { expect, it } from 'vitest';
import { transienceOf } from './transient_answer.ts';

const answer = (status: number, headers: { [name: string]: string } = {}) => ({
  status,
  headers,
  body: new Uint8Array(),
});
const NOW = Date.parse('2026-01-01T00:00:00Z');

it.each([408, 429, 500, 502, 503, 504, 521, 599])('an answer with status %i is transient', (status) => {
  expect(transienceOf(answer(status))).toEqual({ retryAfterMs: undefined });
});

it.each([100, 200, 301, 304, 400, 401, 404, 409, 422, 499, 600])(
  'an answer with status %i is not transient',
  (status) => {
    expect(transienceOf(answer(status, { 'retry-after': '1' }))).toBeUndefined();
  },
);

it.each<[string, number | undefined]>([
  ['0', 0],
  ['1', 1_000],
  ['999999999', 999_999_999_000],
  ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
  ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
  ['Xxx, 99 Yyy 2026 99:99:99 GMT', undefined],
  ['2026-01-01T00:01:00Z', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['1e9', undefined],
  ['9999999999', undefined],
  ['1, 2', undefined],
  ['', undefined],
])('Retry-After: %s is %s ms', (text, retryAfterMs) => {
  expect(transienceOf(answer(503, { 'retry-after': text }), NOW)).toEqual({ retryAfterMs });
});
