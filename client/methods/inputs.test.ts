import { expect, it } from 'vitest';
import { readInputs } from './inputs.ts';

it('sends values as JSON if possible, and sends bytes and numbers that JSON lacks as tagged values', () => {
  const bytes = new Uint8Array([1]);
  expect(readInputs({ a: 1, b: 2n, c: ['x', null], d: { e: true }, f: bytes, g: NaN, h: { i: bytes }, j: undefined }))
    .toEqual({
      values: { a: 1, b: 2n, c: ['x', null], d: { e: true } },
      inputs: { f: { BY: 'AQ==' }, g: { F: 'NaN' }, h: { M: { i: { BY: 'AQ==' } } } },
    });
});

it('refuses unconvertible inputs before reading them further', () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  for (const wrong of [cycle, () => {}, Symbol('x'), new Map(), 2n ** 200n, '\ud800', [undefined]]) {
    expect(() => readInputs({ wrong })).toThrow(/The input wrong cannot be converted to a value/);
  }
});
