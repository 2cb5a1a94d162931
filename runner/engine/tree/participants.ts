import type { NodeError } from '../node.ts';
import type { Parked, ParkedEnd, ParkedRun } from './settlement.ts';
import type { TreeRun } from './tree_run.ts';

/** One run of the tree, as the standstill sees it. */
export interface Participant extends ParkedRun {
  /** True if no execution of the run can continue by itself. Each is parked, or waits for a flow that it called. */
  isQuiet: () => boolean;
  /** Like `isQuiet`, but executions may also be asleep. */
  isDormant: () => boolean;
  /** Ends a parked execution. */
  end: (parked: Parked, end: ParkedEnd) => void;
  /** Begins another attempt of a parked execution. */
  tryAgain: (parked: Parked, error: NodeError) => void;
  /** Makes the run check its state. */
  wake: () => void;
}

/**
 * Orders runs by their path in the tree. The time of their begin does not count, because it differs between claims, and
 * every claim must settle in the same order.
 */
function comparePaths(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((step, at) => step !== b[at]);
  return index < 0 ? a.length - b.length : a[index]! - (b[index] ?? -1);
}

/** The runs of a tree that are being executed. */
export class Participants {
  readonly #byRun = new Map<TreeRun, Participant>();
  /**
   * The path of each run from the root. Each call on the way adds two numbers: the index of the calling node, and the
   * `times` of its execution.
   */
  readonly #paths = new Map<TreeRun, number[]>();

  add(participant: Participant): void {
    const { run } = participant;
    this.#byRun.set(run, participant);
    const { caller } = run;
    const path = caller && [...this.#paths.get(caller.run) ?? [], caller.node.index, caller.execution.times];
    this.#paths.set(run, path ?? []);
  }

  remove(run: TreeRun): void {
    this.#byRun.delete(run);
    this.#paths.delete(run);
  }

  get(run: TreeRun): Participant | undefined {
    return this.#byRun.get(run);
  }

  all(): Participant[] {
    return [...this.#byRun.values()];
  }

  /**
   * The runs with parked executions, in order. Filtering before sorting saves time, because often only one of a
   * thousand runs has parked executions.
   */
  withParked(): Participant[] {
    const pathOf = ({ run }: Participant) => this.#paths.get(run) ?? [];
    return this.all()
      .filter(({ parked }) => parked.size > 0)
      .sort((a, b) => comparePaths(pathOf(a), pathOf(b)));
  }

  wakeAll(): void {
    for (const { wake } of this.#byRun.values()) wake();
  }
}
