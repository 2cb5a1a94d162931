/** Measures how long a claim works on its run, and reports each begin of a rest, in which the run only waits. */
export interface WorkClock {
  /** Milliseconds of work so far. */
  workedMs: () => number;
  /** Runs `wait`, which waits for a time or an answer. Meanwhile the run rests. */
  resting: <T>(wait: () => Promise<T>) => Promise<T>;
  /**
   * Runs `wait`, which waits for somebody outside the backend: a person or a wallet. Meanwhile the run rests. The clock
   * stops while any such wait is under way.
   */
  waiting: <T>(wait: () => Promise<T>) => Promise<T>;
  isResting: () => boolean;
  /** Ends the timer of the limit. */
  close: () => void;
}

interface WorkClockOptions {
  /** Milliseconds of work after which `onLimit` is called, once. */
  limitMs: number;
  onLimit: () => void;
  /** Called whenever a rest begins. */
  onRest: () => void;
  /** Milliseconds. */
  now: () => number;
}

/** Makes a clock that starts now. */
export function makeWorkClock({ limitMs, onLimit, onRest, now }: WorkClockOptions): WorkClock {
  let workedBefore = 0;
  let startedAt = now();
  let rests = 0;
  let waits = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  const workedMs = () => workedBefore + (waits > 0 ? 0 : now() - startedAt);
  const run = () => {
    startedAt = now();
    if (!isClosed) timer = setTimeout(onLimit, Math.max(limitMs - workedBefore, 0));
  };
  run();

  const resting = async <T>(wait: () => Promise<T>): Promise<T> => {
    rests += 1;
    onRest();
    try {
      return await wait();
    } finally {
      rests -= 1;
    }
  };
  return {
    workedMs,
    resting,
    waiting: async (wait) => {
      workedBefore = workedMs();
      waits += 1;
      clearTimeout(timer);
      try {
        return await resting(wait);
      } finally {
        waits -= 1;
        if (waits === 0) run();
      }
    },
    isResting: () => rests > 0,
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
