import { expect, it } from 'vitest';
import { AnswerParts, asCount } from './answer_parts.ts';

it('an answer has a bounded number of calls, even of empty ones', () => {
  const parts = new AnswerParts(1_048_576);
  const fill = () => {
    for (let index = 0; index < 500_000; index++) parts.addToCall(index, {});
  };
  expect(fill).toThrow('the answer of the model does not fit');
  expect(parts.calls().length).toBeLessThan(11_000);
});

it('a provider can tell no number of tokens that the database could not add', () => {
  expect([Number.MAX_SAFE_INTEGER, 1e300, -1, 0.5, '7', 7].map(asCount)).toEqual([1e9, 0, 0, 0, 0, 7]);
});
