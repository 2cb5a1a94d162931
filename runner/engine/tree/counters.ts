import { codedError } from '../../../types/run_errors.ts';
import type { StoredNodeRun } from '../state/journal.ts';
import type { RunLimits } from '../limits/run_limits.ts';
import type { OutputBudget } from '../limits/output_budget.ts';
import type { Slice } from '../state/slice.ts';

interface CountersOptions {
  limits: RunLimits;
  slice: Slice;
  outputs: OutputBudget;
  /**
   * The number of node executions in called runs that ended in earlier claims. This claim does not replay these
   * executions.
   */
  endedExecutions: number;
  /** Halts the tree with this error. */
  exceed: (message: string) => void;
}

/** Counts the resources that all runs of a tree use together, and halts the tree when a limit is exceeded. */
export class Counters {
  readonly limits: RunLimits;
  /** The bytes of outputs that the nodes of all runs may still make. */
  readonly outputs: OutputBudget;
  readonly #slice: Slice;
  readonly #exceed: (message: string) => void;
  #executions: number;
  #elements = 0;
  #bytes = 0;
  /** The time on the slice's clock at which this claim began its first new execution. */
  #newSinceMs: number | undefined;

  constructor({ limits, slice, outputs, endedExecutions, exceed }: CountersOptions) {
    this.limits = limits;
    this.outputs = outputs;
    this.#slice = slice;
    this.#exceed = exceed;
    this.#executions = endedExecutions;
  }

  /**
   * Counts a node execution, or a further attempt, that is about to begin. `stored` is the execution's row of an
   * earlier claim. If the tree already has the maximum of executions, halts the tree and returns false.
   */
  countExecution(stored: StoredNodeRun | undefined): boolean {
    const { nodeExecutions } = this.limits;
    if (stored?.end_time == null && this.#executions >= nodeExecutions) {
      this.#exceed(codedError('node_executions_limit', `more than ${nodeExecutions} node executions in one run`));
      return false;
    }
    this.#executions += stored?.attempt ?? 1;
    // Only a new execution is progress. Every claim continues the calls of earlier claims, so a continued call is no
    // progress.
    if (stored === undefined) this.#newSinceMs ??= this.#slice.spentMs();
    return true;
  }

  /** Counts elements of loops. Each element will be executed or skipped. */
  countElements(count: number): void {
    const { nodeExecutions } = this.limits;
    this.#elements += count;
    if (this.#elements <= nodeExecutions) return;
    this.#exceed(codedError('node_executions_limit', `loops over more than ${nodeExecutions} elements in one run`));
  }

  /** Counts bytes of values that are kept: inputs and outputs of node executions. */
  countBytes(count: number): void {
    const { totalBytes } = this.limits;
    this.#bytes += count;
    if (this.#bytes <= totalBytes) return;
    this.#exceed(codedError('run_size_limit', `inputs and outputs of more than ${totalBytes} bytes in one run`));
  }

  /** True if this claim has begun an execution that no earlier claim began. */
  get hasBegunAnything(): boolean {
    return this.#newSinceMs !== undefined;
  }

  /**
   * True if this claim has begun a new execution and has computed for long enough since then. If every claim released
   * the tree before that, the tree would never end.
   */
  hasProgressed(): boolean {
    return this.#newSinceMs !== undefined && this.#slice.spentMs() - this.#newSinceMs >= this.#slice.leastMs;
  }
}
