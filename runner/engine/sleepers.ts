import type { TreeRun } from './tree_run.ts';

/** The node executions of a tree that wait for a known time. */
export class Sleepers {
  readonly #times = new Map<TreeRun, number[]>();
  readonly #onSleep: () => void;

  /** `onSleep` is called when an execution has fallen asleep. */
  constructor(onSleep: () => void) {
    this.#onSleep = onSleep;
  }

  /** Executions of the run that sleep. */
  countOf(run: TreeRun): number {
    return this.#times.get(run)?.length ?? 0;
  }

  /** When the first of them wakes, in milliseconds since 1970; undefined when none sleeps. */
  earliest(): number | undefined {
    let earliest: number | undefined;
    for (const times of this.#times.values()) {
      for (const time of times) if (earliest === undefined || time < earliest) earliest = time;
    }
    return earliest;
  }

  /** Waits. Meanwhile an execution of the run counts as asleep until this time. */
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
