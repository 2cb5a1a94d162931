import { expect, it } from 'vitest';
import { readFees } from './read_fees.ts';

const fees = (text: string) => readFees({ body: JSON.parse(text), text }, (body) => (body as { fees: unknown }).fees);

it.each(['0', '5000', '9007199254740993', '18446744073709551615'])('%s lamports keep all their digits', (lamports) => {
  expect(fees(`{"fees": [["a", 1], ["b", ${lamports}]]}`)).toEqual([['a', 1n], ['b', BigInt(lamports)]]);
});

it.each(['{}', '{"fees": 1}', '{"fees": [1]}', '{"fees": [["a", 1.5]]}', '{"fees": [["a", "x"]]}'])(
  '%s is refused as an answer with fees',
  (text) => {
    expect(() => fees(text)).toThrow(expect.objectContaining({ code: 'answer_invalid' }));
  },
);
