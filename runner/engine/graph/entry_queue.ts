import type { Value } from '../../../types/values/value.ts';
import type { EarlierPositions } from '../state/earlier_positions.ts';

/** The reason why a source gave no value. */
export type Absence =
  /** The source, or a node before it, failed. */
  | 'failed'
  /**
   * The source succeeded but gave no value for the output. Or the source did not run, because a node before it gave no
   * value.
   */
  | 'unset'
  /** The edge passes an input of the source through. The source succeeded, but this input has no value. */
  | 'not_handed_on';

/** One entry of an edge's queue: a value, or the absence of a value. */
export interface Entry {
  /** Undefined if the source gave no value. */
  value: Value | undefined;
  /** Undefined if the entry has a value or a fault. */
  absence: Absence | undefined;
  /** The error of the edge's expression, with which the target fails. */
  fault?: string | undefined;
  /**
   * True if the entry belongs to one iteration of a loop. Such an entry is removed when it is used. Other entries stay
   * for all iterations.
   */
  isElement: boolean;
  /** The positions of the entry in the runs from which this run was redriven. */
  positions?: EarlierPositions | undefined;
}

/** The entries that an edge carries, first in, first out. */
export class EntryQueue {
  #entries: Entry[] = [];
  #taken = 0;

  get head(): Entry | undefined {
    return this.#entries[this.#taken];
  }

  push(entry: Entry): void {
    this.#entries.push(entry);
  }

  /** Removes the first entry. */
  shift(): void {
    this.#taken += 1;
    // To shift an array takes linear time. So the taken entries stay in the array until they are half of it, and are
    // then removed together.
    if (this.#taken > 64 && this.#taken * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#taken);
      this.#taken = 0;
    }
  }

  /** All entries of the queue. */
  entries(): Entry[] {
    return this.#entries.slice(this.#taken);
  }

  /** Removes all entries and returns them. */
  drain(): Entry[] {
    const entries = this.entries();
    this.#entries = [];
    this.#taken = 0;
    return entries;
  }
}
