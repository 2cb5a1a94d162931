/** The time that a claim works on its run: waiting for somebody outside is no work. */
export interface WorkClock {
  /** Milliseconds of work so far. */
  workedMs: () => number;
  /** Runs what only waits: as long as any such call is under way the clock stands. */
  waiting: <T>(wait: () => Promise<T>) => Promise<T>;
  /** Ends the limit. */
  close: () => void;
}

/** Makes a clock that starts now, and calls `onLimit` once after so many milliseconds of work. */
export function makeWorkClock(limitMs: number, onLimit: () => void, now: () => number): WorkClock {
  let workedBefore = 0;
  let startedAt = now();
  let waits = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const workedMs = () => workedBefore + (waits > 0 ? 0 : now() - startedAt);
  const run = () => {
    startedAt = now();
    timer = setTimeout(onLimit, Math.max(limitMs - workedBefore, 0));
  };
  run();
  return {
    workedMs,
    waiting: async (wait) => {
      workedBefore = workedMs();
      waits += 1;
      clearTimeout(timer);
      try {
        return await wait();
      } finally {
        waits -= 1;
        if (waits === 0) run();
      }
    },
    close: () => clearTimeout(timer),
  };
}
