/** The least number of bytes that must move in each window of time while bytes wait. */
export interface PaceRule {
  windowMs: number;
  leastBytes: number;
}

/** Watches the bytes that move between a client and the gateway. */
interface Pace {
  moved: (bytes: number) => void;
  stop: () => void;
}

/**
 * Calls `onStall` once, after the first window in which too few bytes moved. A window counts only if bytes waited at
 * its beginning and at its end.
 */
export function watchPace({ windowMs, leastBytes }: PaceRule, isWaiting: () => boolean, onStall: () => void): Pace {
  let moved = 0;
  let hasWaited = isWaiting();
  const timer = setInterval(() => {
    const isStillWaiting = isWaiting();
    if (hasWaited && isStillWaiting && moved < leastBytes) {
      clearInterval(timer);
      onStall();
    }
    hasWaited = isStillWaiting;
    moved = 0;
  }, windowMs);
  timer.unref();
  return { moved: (bytes) => void (moved += bytes), stop: () => clearInterval(timer) };
}
