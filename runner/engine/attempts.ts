import { pause } from '../../functions/_shared/pause.ts';
import type { Tree } from './context.ts';
import type { NodeRun } from './journal.ts';
import { haltError, type LogLevel, NodeError, Released } from './node.ts';
import { pauseAfter, type RetryPolicy } from './retry_policy.ts';
import type { TreeRun } from './tree_run.ts';

/**
 * The attempts of one node execution. In the row of the execution, `attempt` is the number of the attempt that is under
 * way. If `retry_at` is set, the attempt of this number has failed, and the next attempt begins at `retry_at`. Both
 * columns are stored before a pause. So a claim that continues the execution makes the next attempt with the same
 * number and at the same time.
 */
export class Attempts {
  readonly #tree: Tree;
  readonly #run: TreeRun;
  /** The row that the journal gets, both for the attempts and for the end of the execution. */
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
   * Records a failed attempt, and resolves when the next one begins. Rejects with Released if the run is released
   * during the pause, and with the run's error if the run ends.
   */
  async next({ message, transience }: NodeError): Promise<void> {
    const row = this.#row;
    const { journal, now } = this.#tree.services;
    const until = now() + pauseAfter(this.#policy, row.attempt, transience?.retryAfterMs);
    row.retry_at = new Date(until).toISOString();
    this.#log('Warn', `${this.#ordinal()} failed, the next one begins at ${row.retry_at}: ${message}`);
    journal.nodeBegan({ ...row });
    await journal.flush().catch(() => {
      // The record can't be stored. The run is released, and its claim logs the reason.
      throw new Released();
    });
    await this.#begin(until);
  }

  /** Continues a pause that an earlier claim began. Resolves at the time `retryAt`, when the next attempt begins. */
  async resume(retryAt: string): Promise<void> {
    this.#row.retry_at = retryAt;
    await this.#begin(Date.parse(retryAt));
  }

  /** Logs the failed attempt with which the execution fails. */
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
