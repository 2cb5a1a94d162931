/** Times that are remembered; later ones are left to whoever looks at all that sleeps. */
const MAX_TIMES = 1_000;

/** When runs that were put to sleep go on, in milliseconds since 1970. */
export interface WakeTimes {
  add: (time: number) => void;
  /** The first of them; Infinity when there is none. */
  first: () => number;
  /** Forgets those that have come; true when there were any. */
  dropDue: (now: number) => boolean;
}

/** Makes a list of the earliest of these times, so many at the most. */
export function makeWakeTimes(maxTimes = MAX_TIMES): WakeTimes {
  /** The earliest first. */
  const times: number[] = [];

  /** How many of them are not later than this. */
  const countUntil = (time: number): number => {
    let [low, high] = [0, times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle]! <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  return {
    add: (time) => {
      times.splice(countUntil(time), 0, time);
      if (times.length > maxTimes) times.pop();
    },
    first: () => times[0] ?? Infinity,
    dropDue: (now) => times.splice(0, countUntil(now)).length > 0,
  };
}
