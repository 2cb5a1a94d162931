import { expect, it } from 'vitest';
import { readInputs } from './inputs.ts';

it('what JSON can say goes as JSON, bytes and numbers that JSON lacks with their tags', () => {
  const bytes = new Uint8Array([1]);
  expect(readInputs({ a: 1, b: 2n, c: ['x', null], d: { e: true }, f: bytes, g: NaN, h: { i: bytes }, j: undefined }))
    .toEqual({
      values: { a: 1, b: 2n, c: ['x', null], d: { e: true } },
      inputs: { f: { BY: 'AQ==' }, g: { F: 'NaN' }, h: { M: { i: { BY: 'AQ==' } } } },
    });
});

it('what has no form is refused before it is looked at further', () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  for (const wrong of [cycle, () => {}, Symbol('x'), new Map(), 2n ** 200n, '\ud800', [undefined]]) {
    expect(() => readInputs({ wrong })).toThrow(/The input wrong has no form as a value/);
  }
});
