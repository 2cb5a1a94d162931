import type { ValueMap } from '../../../types/values/value.ts';
import type { Tree } from '../tree/tree.ts';
import type { NodeRun, StoredNodeRun } from '../state/journal.ts';
import type { Effect } from '../node.ts';
import { copyMap, type Outcome } from '../graph/outcome.ts';
import { measureMap } from '../limits/value_size.ts';

const timestamp = (tree: Tree): string => new Date(tree.services.now()).toISOString();

/** One execution as this claim reports it to the journal. */
export class ExecutionRecord {
  readonly #tree: Tree;
  /** The row that an earlier claim stored for the execution. */
  readonly #stored: StoredNodeRun | undefined;
  /** The row that the journal gets. */
  readonly row: NodeRun;

  constructor(tree: Tree, execution: Effect, input: ValueMap, stored: StoredNodeRun | undefined) {
    this.#tree = tree;
    this.#stored = stored;
    // The members are written out, because a spread here takes a tenth of the engine's time for a node.
    this.row = {
      flow_run_id: execution.flow_run_id,
      node_id: execution.node_id,
      times: execution.times,
      attempt: stored?.attempt ?? 1,
      retry_at: null,
      start_time: stored?.start_time ?? timestamp(tree),
      attempt_start_time: stored?.attempt_start_time ?? null,
      end_time: null,
      input: { M: input },
      output: stored?.output ?? null,
      errors: null,
      error_handled: false,
    };
  }

  get isStored(): boolean {
    return this.#stored !== undefined;
  }

  /** The begin of the next attempt, if the last claim ended during a pause. */
  get retryAt(): string | null {
    return this.#stored?.retry_at ?? null;
  }

  /** True if an earlier claim began the attempt that this claim must make now. */
  get wasBegun(): boolean {
    const stored = this.#stored;
    return stored !== undefined && stored.retry_at === null && stored.attempt === this.row.attempt;
  }

  /** The begin of the attempt, perhaps in an earlier claim, in milliseconds since 1970. */
  get attemptBegin(): number {
    return Date.parse(this.row.attempt_start_time ?? this.row.start_time);
  }

  /**
   * The outputs that this execution handed over in an earlier claim. The next nodes got these outputs, and keep them if
   * the execution fails.
   */
  get handedOver(): ValueMap | undefined {
    return this.row.output === null ? undefined : copyMap(this.row.output.M);
  }

  reportBegin(): void {
    if (this.#stored === undefined) this.#tree.services.journal.nodeBegan({ ...this.row });
  }

  /**
   * Stores in the row the outputs that an instruction node hands over, because the node may then wait for long. Only
   * the first call stores outputs. Every call returns the stored outputs.
   */
  handOver(outputs: ValueMap): ValueMap {
    if (this.row.output === null) {
      this.row.output = { M: outputs };
      this.#tree.services.journal.nodeBegan({ ...this.row });
    }
    return copyMap(this.row.output.M);
  }

  /** Reports the end of the execution. */
  end(outcome: Outcome): void {
    const outputs = 'outputs' in outcome ? outcome.outputs : outcome.handedOver;
    if (outputs !== undefined) this.#tree.counters.countBytes(measureMap(outputs));
    this.#tree.services.journal.nodeEnded({
      ...this.row,
      retry_at: null,
      end_time: timestamp(this.#tree),
      output: outputs === undefined ? null : { M: outputs },
      errors: 'error' in outcome ? [outcome.error] : null,
      error_handled: 'error' in outcome && outcome.errorOutput !== undefined,
    });
  }
}
