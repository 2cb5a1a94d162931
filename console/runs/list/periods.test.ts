import { expect, it } from 'vitest';
import { periods } from './periods.ts';

it('periods begin and end at local midnights, also over the end of a month', () => {
  const chosen = Object.fromEntries(periods(new Date(2026, 2, 1, 13, 7)).map(({ label, period }) => [label, period]));
  expect(chosen).toEqual({
    'Today': { from: '2026-03-01T00:00', until: undefined },
    'Yesterday': { from: '2026-02-28T00:00', until: '2026-03-01T00:00' },
    '7 days': { from: '2026-02-23T00:00', until: undefined },
    'All time': { from: undefined, until: undefined },
  });
});
