import { expect, it } from 'vitest';
import { toPlainJson } from './plain_json.ts';

it('tagged values become readable JSON without loss', () => {
  expect(toPlainJson({
    M: {
      none: { N: 0 },
      list: { A: [{ U: '1' }, { I: '-2' }, { U: '18446744073709551615' }, { F: '1.5' }, { F: 'NaN' }] },
      decimal: { D: '2.20' },
      text: { S: 'a' },
      yes: { B: true },
      key: { B3: '11111111111111111111111111111111' },
    },
  })).toEqual({
    none: null,
    list: [1, -2, '18446744073709551615', 1.5, 'NaN'],
    decimal: '2.20',
    text: 'a',
    yes: true,
    key: '11111111111111111111111111111111',
  });
});
