import { type ErrorDetails, type Position, RhaiError, type RhaiErrorKind } from './errors.ts';
import type { RhaiLimits } from './limits.ts';

/** The functions by which a script reaches outside itself. */
export interface RunHooks {
  onPrint: (text: string) => void;
  onDebug: (text: string, at: Position) => void;
  /** Called every few thousand operations. An error that it throws ends the script. */
  onProgress: (operations: number) => void;
  /** Milliseconds since 1970. */
  now: () => number;
  /** From 0 to below 1. */
  random: () => number;
}

const PROGRESS_INTERVAL = 4_096;

/** Number of characters that a function may read for one operation. */
const CHARACTERS_PER_OPERATION = 64;

/** The current position of a run of a script, and the used part of its limits. */
export class Budget {
  readonly limits: RhaiLimits;
  readonly hooks: RunHooks;
  /**
   * The position that the run has reached in the script. An error in a built-in function is reported at this position.
   */
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

  /** Fails because a value does not have the needed type. */
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

  /** Counts this many operations. */
  charge(operations: number): void {
    this.operations += operations;
    if (this.operations > this.#nextStop) this.#stop(this.at);
  }

  /** Counts the operations for reading this many characters or bytes. Short texts cost nothing. */
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
