import type { TreeRun } from './tree_run.ts';

/** The node executions of a tree that wait for a known time. */
export class Sleepers {
  readonly #times = new Map<TreeRun, number[]>();
  /** The ends of attempts with a timeout. At the first of them the tree wakes, even if it waits for something else. */
  readonly #deadlines: number[] = [];
  readonly #onSleep: () => void;

  /** `onSleep` is called when an execution has fallen asleep. */
  constructor(onSleep: () => void) {
    this.#onSleep = onSleep;
  }

  /** Executions of the run that sleep. */
  countOf(run: TreeRun): number {
    return this.#times.get(run)?.length ?? 0;
  }

  /** When the tree wakes if one of them sleeps, in milliseconds since 1970; undefined when none sleeps. */
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

  /** When the time of the first attempt is over, in milliseconds since 1970. */
  firstDeadline(): number | undefined {
    return this.#deadlines.length === 0 ? undefined : this.#deadlines.reduce((a, b) => Math.min(a, b));
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
