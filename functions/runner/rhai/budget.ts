import { type ErrorDetails, type Position, RhaiError, type RhaiErrorKind } from './errors.ts';
import type { RhaiLimits } from './limits.ts';

/** What a script reaches of its surroundings. */
export interface RunHooks {
  onPrint: (text: string) => void;
  onDebug: (text: string, at: Position) => void;
  /** Called every few thousand operations; what it throws ends the script. */
  onProgress: (operations: number) => void;
  /** Milliseconds since 1970. */
  now: () => number;
  /** From 0 to below 1. */
  random: () => number;
}

const PROGRESS_INTERVAL = 4_096;

/** Characters that a function may go through for one operation. */
const CHARACTERS_PER_OPERATION = 64;

/** Where a run is, and how much it has used of what it may. */
export class Budget {
  readonly limits: RhaiLimits;
  readonly hooks: RunHooks;
  /** Where the script is, for errors of functions that have no place themselves. */
  at: Position;
  operations = 0;
  #nextStop: number;

  constructor(limits: RhaiLimits, hooks: RunHooks, at: Position) {
    this.limits = limits;
    this.hooks = hooks;
    this.at = at;
    this.#nextStop = Math.min(PROGRESS_INTERVAL, limits.operations);
  }

  fail(kind: RhaiErrorKind, reason: string, at = this.at, details?: ErrorDetails): never {
    throw new RhaiError(kind, reason, at, { details });
  }

  /** A value of another type than what is needed. */
  mismatch(requested: string, actual: string, at = this.at): never {
    return this.fail('MismatchDataType', `Data type incorrect: ${actual} (expecting ${requested})`, at, {
      requested,
      actual,
    });
  }

  /** Counts one operation. */
  tick(at: Position): void {
    if (++this.operations > this.#nextStop) this.#stop(at);
  }

  /** Counts as many operations. */
  charge(operations: number): void {
    this.operations += operations;
    if (this.operations > this.#nextStop) this.#stop(this.at);
  }

  /** Counts the operations of going through so many characters or bytes: none for a few. */
  chargeText(length: number): void {
    if (length >= CHARACTERS_PER_OPERATION) this.charge(Math.floor(length / CHARACTERS_PER_OPERATION));
  }

  #stop(at: Position): void {
    if (this.operations > this.limits.operations) {
      this.fail('TooManyOperations', `Too many operations: more than ${this.limits.operations}`, at);
    }
    this.hooks.onProgress(this.operations);
    this.#nextStop = Math.min(this.operations + PROGRESS_INTERVAL, this.limits.operations);
  }
}
