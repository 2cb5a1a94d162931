/** In each window so many bytes must move while any wait. */
export interface PaceRule {
  windowMs: number;
  leastBytes: number;
}

/** A watch over bytes that move between a client and the gateway. */
export interface Pace {
  moved: (bytes: number) => void;
  stop: () => void;
}

/**
 * Calls `onStall` once, after the first window in which fewer bytes moved than they must, although bytes waited when it
 * began and when it ended.
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
