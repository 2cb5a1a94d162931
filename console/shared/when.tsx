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
 * The part of a unit by which a time may fall short of it. So an input that can be answered for seven days is shown as
 * `in 7 days` for the first hour, and not at once as `in 6 days`.
 */
const SLACK = 0.05;

/** Describes how long ago `then` is, or how far ahead, in the largest unit that fits. */
export function describeAge(then: Date, now: Date): string {
  const seconds = (then.getTime() - now.getTime()) / 1000;
  const slack = seconds > 0 ? SLACK : 0;
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) / size + slack >= 1) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / size + slack), unit);
}

/** Shows a time as the user has chosen: its age, with the exact time on request, or the other way round. */
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
