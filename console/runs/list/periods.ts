import type { RunSearch } from './run_filter.ts';

type Period = Pick<RunSearch, 'from' | 'until'>;

const twoDigits = (number: number): string => String(number).padStart(2, '0');

/** Formats a local time as the fields of the filter need it: `2026-11-23T08:15`. */
const fieldTime = (time: Date): string =>
  `${time.getFullYear()}-${twoDigits(time.getMonth() + 1)}-${twoDigits(time.getDate())}T${twoDigits(time.getHours())}:${
    twoDigits(time.getMinutes())
  }`;

/** Returns the local midnight at which the day of `now` began, or a day before it. */
const midnight = (now: Date, daysBefore = 0): Date =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysBefore);

/**
 * The periods that the user can choose with one click. Each of them begins at a local midnight, except the last one.
 */
export const periods = (now: Date): { label: string; period: Period }[] => [
  { label: 'Today', period: { from: fieldTime(midnight(now)), until: undefined } },
  { label: 'Yesterday', period: { from: fieldTime(midnight(now, 1)), until: fieldTime(midnight(now)) } },
  { label: '7 days', period: { from: fieldTime(midnight(now, 6)), until: undefined } },
  { label: 'All time', period: { from: undefined, until: undefined } },
];
