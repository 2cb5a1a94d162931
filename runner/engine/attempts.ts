import { pause } from '../../functions/_shared/pause.ts';
import type { Tree } from './context.ts';
import type { NodeRun } from './journal.ts';
import { haltError, type LogLevel, NodeError, Released } from './node.ts';
import { pauseAfter, type RetryPolicy } from './retry_policy.ts';
import type { TreeRun } from './tree_run.ts';

/**
 * The attempts of one node execution. Its node run counts them: `attempt` is the one under way, or the last one when `retry_at` says
 * that the next one begins then. Both are stored before a pause, so that another claim goes on with the same count, at the same time.
 */
export class Attempts {
  readonly #tree: Tree;
  readonly #run: TreeRun;
  /** As the journal gets it, and as it gets the execution's end. */
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

  /** Whether another attempt follows one that failed with this. */
  mayFollow(error: unknown): error is NodeError {
    return error instanceof NodeError && error.transience !== undefined && !this.isLast &&
      this.#tree.lifecycle.halt === undefined;
  }

  /**
   * Puts an attempt on record that failed, and resolves when the next one begins. Rejects with Released when the run is released in
   * the pause, and with the run's error when it ends.
   */
  async next({ message, transience }: NodeError): Promise<void> {
    const row = this.#row;
    const { journal, now } = this.#tree.services;
    const until = now() + pauseAfter(this.#policy, row.attempt, transience?.retryAfterMs);
    row.retry_at = new Date(until).toISOString();
    this.#log('Warn', `${this.#ordinal()} failed, the next one begins at ${row.retry_at}: ${message}`);
    journal.nodeBegan({ ...row });
    await journal.flush().catch(() => {
      // The run is released, and its claim tells why.
      throw new Released();
    });
    await this.#begin(until);
  }

  /** Resolves when the next attempt begins, of an execution that an earlier claim left in a pause until this time. */
  async resume(retryAt: string): Promise<void> {
    this.#row.retry_at = retryAt;
    await this.#begin(Date.parse(retryAt));
  }

  /** Puts the attempt on record that the execution fails with. */
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

  /** Sleeps. The run rests and holds no slot. A tree that does nothing else is released, if it is for long. */
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
