import { Tooltip } from '@mantine/core';
import { exactTime, useDateFormat } from './dates.ts';

const UNITS: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/**
 * The time until a future event is rounded up if at most this part of a unit is missing. So a time limit of seven days
 * is shown as `in 7 days` for the first hour, and not at once as `in 6 days`.
 */
const SLACK = 0.05;

/** Describes the time between `then` and `now` in the largest unit that fits, such as `3 hours ago` or `in 2 days`. */
export function describeAge(then: Date, now: Date): string {
  const seconds = (then.getTime() - now.getTime()) / 1000;
  const slack = seconds > 0 ? SLACK : 0;
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) / size + slack >= 1) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / size + slack), unit);
}

/** Shows a time as an age or as a date, as the user has chosen. Under the pointer, shows the other of the two. */
export function When({ at }: { at: string }) {
  const format = useDateFormat();
  const then = new Date(at);
  const exact = exactTime(then, format);
  const age = describeAge(then, new Date());
  const [shown, more] = format === 'age' ? [age, exact] : [exact, age];
  return (
    <Tooltip label={more}>
      <time dateTime={at} title={more}>{shown}</time>
    </Tooltip>
  );
}
