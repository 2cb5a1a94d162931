import { Tooltip } from '@mantine/core';

const UNITS: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

/** Describes how long ago `then` is, in the largest unit that fits. */
export function describeAge(then: Date, now: Date): string {
  const seconds = (then.getTime() - now.getTime()) / 1000;
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / size), unit);
}

/** Shows a time as an age, with the exact time on request. */
export function When({ at }: { at: string }) {
  const then = new Date(at);
  const exact = absolute.format(then);
  return (
    <Tooltip label={exact}>
      <time dateTime={at} title={exact}>{describeAge(then, new Date())}</time>
    </Tooltip>
  );
}
