import { exactTime, useDateFormat } from './dates.ts';
import { describeAge } from './when.tsx';

/** The time until which something can be done, with the time that is left. */
export function Deadline({ at }: { at: string }) {
  const format = useDateFormat();
  const until = new Date(at);
  return <time dateTime={at}>{exactTime(until, format)}, {describeAge(until, new Date())}</time>;
}
