/** How many times are remembered. The sweep wakes the runs of later ones. */
const MAX_TIMES = 1_000;

/** The times at which sleeping runs go on, in milliseconds since 1970. */
export interface WakeTimes {
  add: (time: number) => void;
  /** The earliest time; Infinity when there is none. */
  first: () => number;
  /** Forgets the times that have come. True when there were any. */
  dropDue: (now: number) => boolean;
}

/** Remembers the earliest times, at most so many. */
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
