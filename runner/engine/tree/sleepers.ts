import type { TreeRun } from './tree_run.ts';

/** The node executions of a tree that wait for a known time. */
export class Sleepers {
  readonly #times = new Map<TreeRun, number[]>();
  /**
   * The times at which attempts time out. The tree wakes at the first of these times, even if it waits for something
   * else.
   */
  readonly #deadlines: number[] = [];
  readonly #onSleep: () => void;

  /** `onSleep` is called when an execution has fallen asleep. */
  constructor(onSleep: () => void) {
    this.#onSleep = onSleep;
  }

  /** Returns the number of the run's executions that sleep. */
  countOf(run: TreeRun): number {
    return this.#times.get(run)?.length ?? 0;
  }

  /** Returns the time at which the tree wakes, in milliseconds since 1970; undefined if no execution sleeps. */
  earliest(): number | undefined {
    let earliest: number | undefined;
    for (const times of this.#times.values()) {
      for (const time of times) if (earliest === undefined || time < earliest) earliest = time;
    }
    return earliest === undefined ? undefined : Math.min(earliest, this.firstDeadline() ?? earliest);
  }

  addDeadline(until: number): void {
    this.#deadlines.push(until);
  }

  removeDeadline(until: number): void {
    this.#deadlines.splice(this.#deadlines.indexOf(until), 1);
  }

  /** Returns the first time at which an attempt times out, in milliseconds since 1970. */
  firstDeadline(): number | undefined {
    return this.#deadlines.length === 0 ? undefined : this.#deadlines.reduce((a, b) => Math.min(a, b));
  }

  /** Calls `wait`. Until its promise settles, an execution of the run counts as asleep until the time `until`. */
  async during<T>(run: TreeRun, until: number, wait: () => Promise<T>): Promise<T> {
    const times = this.#times.get(run) ?? [];
    this.#times.set(run, times);
    times.push(until);
    try {
      const waited = wait();
      this.#onSleep();
      return await waited;
    } finally {
      times.splice(times.indexOf(until), 1);
      if (times.length === 0) this.#times.delete(run);
    }
  }
}
