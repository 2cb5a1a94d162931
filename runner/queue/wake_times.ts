/** The most times that are kept. If a run's time is not kept, the sweep of the queue wakes the run. */
const MAX_TIMES = 1_000;

/** The times at which sleeping runs continue, in milliseconds since 1970. */
interface WakeTimes {
  add: (time: number) => void;
  /** Returns the earliest time; Infinity if no time is kept. */
  first: () => number;
  /** Drops the times that have passed. Returns true if at least one was dropped. */
  dropDue: (now: number) => boolean;
}

/** Keeps the earliest times, up to a limit. */
export function makeWakeTimes(maxTimes = MAX_TIMES): WakeTimes {
  /** In ascending order. */
  const times: number[] = [];

  /** Counts the times that are not later than this one. */
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
