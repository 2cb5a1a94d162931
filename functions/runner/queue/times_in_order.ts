/** Makes times differ, so that they tell the order of what happened within one millisecond, too. */
export interface TimesInOrder {
  /** This time, or where it is not later than the one before, the next microsecond after that. */
  next: (time: string) => string;
  /** Every time is later than the one before. */
  isKept: () => boolean;
}

/** By so many microseconds a time may be moved. What is further back was told late, or somebody has set the clock. */
const MOST_MICROSECONDS = 1_000;

/** Times are ISO 8601 in UTC, with milliseconds when they come and microseconds when they go. */
export function makeTimesInOrder(): TimesInOrder {
  let last = -Infinity;
  let isKept = true;
  return {
    next: (time) => {
      const given = Date.parse(time) * 1_000;
      if (last + 1 - given > MOST_MICROSECONDS) {
        isKept = false;
        return time;
      }
      last = Math.max(given, last + 1);
      const milliseconds = new Date(Math.floor(last / 1_000)).toISOString();
      return `${milliseconds.slice(0, -1)}${String(last % 1_000).padStart(3, '0')}Z`;
    },
    isKept: () => isKept,
  };
}
