/** The time for which an overrun counts, and the number of counting overruns from which code is not tried. */
const COUNTS_MS = 1_000;
const MANY = 3;
/** The number of owners whose overruns are remembered. */
const MAX_OWNERS = 1_000;

/**
 * Counts the scripts of each owner that have exceeded their trial in the engine's thread lately. Without the count, an
 * owner with many different long scripts could block the engine's thread with one trial after another.
 */
export class OwnerOverruns {
  /** The times of the last overruns by owner. The owner with the earliest last overrun comes first. */
  readonly #times = new Map<string, number[]>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  add(ownerId: string): void {
    const times = [...this.#times.get(ownerId) ?? [], this.#now()].slice(-MANY);
    this.#times.delete(ownerId);
    this.#times.set(ownerId, times);
    const [longestAgo] = this.#times.keys();
    if (this.#times.size > MAX_OWNERS && longestAgo !== undefined) this.#times.delete(longestAgo);
  }

  /** True if so many scripts of the owner were long lately that the next one is probably long, too. */
  hasMany(ownerId: string): boolean {
    const times = this.#times.get(ownerId);
    return times?.length === MANY && this.#now() - times[0]! < COUNTS_MS;
  }
}
