/** A limit of the bytes in use: one limit for all callers together, and one for each caller. */
export interface CallerBytes {
  /**
   * Takes bytes for a caller. If a limit would be exceeded, takes nothing and returns `all` for the common limit, or
   * `caller` for this caller's limit.
   */
  take: (caller: string, bytes: number) => 'all' | 'caller' | undefined;
  release: (caller: string, bytes: number) => void;
  /** Returns the number of bytes in use. */
  held: () => number;
}

export function makeByteBudget({ all, caller: perCaller }: { all: number; caller: number }): CallerBytes {
  const heldBy = new Map<string, number>();
  let held = 0;
  return {
    take(caller, bytes) {
      const own = (heldBy.get(caller) ?? 0) + bytes;
      if (own > perCaller) return 'caller';
      if (held + bytes > all) return 'all';
      held += bytes;
      heldBy.set(caller, own);
      return undefined;
    },
    release(caller, bytes) {
      held -= bytes;
      const left = (heldBy.get(caller) ?? 0) - bytes;
      if (left > 0) heldBy.set(caller, left);
      else heldBy.delete(caller);
    },
    held: () => held,
  };
}
