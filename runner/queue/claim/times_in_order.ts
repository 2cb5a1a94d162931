/** Makes times differ, so that they show the order of events even within one millisecond. */
interface TimesInOrder {
  /**
   * Returns this time if it is later than the previous time. Otherwise returns the microsecond after the previous time.
   */
  next: (time: string) => string;
  /** True if every returned time was later than the previous one. */
  isKept: () => boolean;
}

/**
 * The most microseconds by which a time is moved. A time that needs more was reported late, or the clock was set back.
 * It is kept as it is, and the times are then no longer in order.
 */
const MOST_MICROSECONDS = 1_000;

/**
 * Makes times that show the order of events. All times are ISO 8601 in UTC. Given times have milliseconds, returned
 * times have microseconds.
 */
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
