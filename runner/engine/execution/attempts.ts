import { pause } from '../../../platform/pause.ts';
import type { Tree } from '../tree/tree.ts';
import type { NodeRun } from '../state/journal.ts';
import { haltError, type LogLevel, NodeError, Released } from '../node.ts';
import { pauseAfter, type RetryPolicy } from '../graph/retry_policy.ts';
import type { TreeRun } from '../tree/tree_run.ts';

/**
 * The attempts of one node execution. In the row of the execution, `attempt` is the number of the latest attempt. If
 * `retry_at` is null, this attempt is under way. If `retry_at` is set, this attempt has failed, and the next attempt
 * begins at `retry_at`. Both columns are stored before a pause. So if another claim continues the execution, the next
 * attempt keeps its number and its time.
 */
export class Attempts {
  readonly #tree: Tree;
  readonly #run: TreeRun;
  /** The row that the journal gets. It describes the attempts and, later, the end of the execution. */
  readonly #row: NodeRun;
  readonly #policy: RetryPolicy;
  readonly #log: (level: LogLevel, content: string) => void;

  constructor(
    tree: Tree,
    run: TreeRun,
    row: NodeRun,
    policy: RetryPolicy,
    log: (level: LogLevel, content: string) => void,
  ) {
    this.#tree = tree;
    this.#run = run;
    this.#row = row;
    this.#policy = policy;
    this.#log = log;
  }

  get isLast(): boolean {
    return this.#row.attempt >= this.#policy.maxAttempts;
  }

  /** Tests whether another attempt may follow one that failed with this error. */
  mayFollow(error: unknown): error is NodeError {
    return error instanceof NodeError && error.transience !== undefined && !this.isLast &&
      this.#tree.lifecycle.halt === undefined;
  }

  /**
   * Records a failed attempt, and resolves when the next attempt begins. If the run is released during the pause,
   * rejects with Released. If the run ends during the pause, rejects with the run's error.
   */
  async next({ message, transience }: NodeError): Promise<void> {
    const row = this.#row;
    const { journal, now } = this.#tree.services;
    const until = now() + pauseAfter(this.#policy, row.attempt, transience?.retryAfterMs);
    row.retry_at = new Date(until).toISOString();
    this.#log('Warn', `${this.#ordinal()} failed, the next one begins at ${row.retry_at}: ${message}`);
    journal.nodeBegan({ ...row });
    await journal.flush().catch(() => {
      // The record can't be stored, so the run is released. The claim logs the reason.
      throw new Released();
    });
    await this.#begin(until);
  }

  /** Continues a pause that an earlier claim began. Resolves at the time `retryAt`, when the next attempt begins. */
  async resume(retryAt: string): Promise<void> {
    this.#row.retry_at = retryAt;
    await this.#begin(Date.parse(retryAt));
  }

  /** Logs the last attempt of an execution that fails. */
  logFailure(message: string): void {
    // If an execution ends in a pause, its last attempt is logged already.
    if (this.#row.retry_at === null) this.#log('Error', `${this.#ordinal()} failed: ${message}`);
  }

  #ordinal(): string {
    return `attempt ${this.#row.attempt} of ${this.#policy.maxAttempts}`;
  }

  async #begin(at: number): Promise<void> {
    const { lifecycle, counters, services: { journal, now } } = this.#tree;
    await this.#sleepUntil(at);
    if (!counters.countExecution(undefined)) throw haltError(lifecycle.halted);
    this.#row.attempt += 1;
    this.#row.attempt_start_time = new Date(now()).toISOString();
    this.#row.retry_at = null;
    journal.nodeBegan({ ...this.#row });
  }

  /**
   * Sleeps until this time. Meanwhile the run holds no slot. If the whole tree sleeps for long, the tree is released.
   */
  async #sleepUntil(time: number): Promise<void> {
    const { lifecycle: { halted, releasing }, services: { now, rest }, sleepers, standstill } = this.#tree;
    for (;;) {
      if (halted.aborted) throw haltError(halted);
      if (releasing.aborted) throw new Released();
      const left = time - now();
      if (left <= 0) return;
      const slept = sleepers.during(this.#run, time, () => rest(() => pause(left, halted, releasing)));
      standstill.consider();
      await slept;
    }
  }
}
