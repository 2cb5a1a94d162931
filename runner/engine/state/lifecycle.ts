import type { Halt } from '../node.ts';
import { nextState, type TransitionTable } from './transitions.ts';

/**
 * The states of a tree of runs in one claim. A state decides whether nodes start and which signals running nodes get.
 *
 * - `executing`: nodes start, and run for as long as they need.
 * - `releasing`: another claim will continue the tree. The signal `releasing` informs running nodes. Nodes still start
 *   until this claim has progressed (`Counters.hasProgressed`).
 * - `halted`: the tree must end, because somebody stopped it or it exceeded a limit. No node starts. Running nodes have
 *   a grace period in which they may end by themselves.
 * - `cancelled`: the grace period is over, or there is none because the claim must also be released. The signal
 *   `cancelled` informs running nodes, and they are recorded as failed.
 * - `ended`: the claim has the outcome of the tree. Cancelled nodes may still run, but their results are dropped.
 */
export type LifecycleState = 'executing' | 'releasing' | 'halted' | 'cancelled' | 'ended';

/**
 * Only the first halt counts. It is the reason of the signals `halted` and `cancelled`. The following events cause the
 * transitions:
 *
 * - `release`: one of the following has happened. The worker releases the run, or has lost its claim. The slice is
 *   `over`. The slice is `spent`, and this claim has begun a new execution (`slice.ts` explains `over` and `spent`). A
 *   node execution or an expression on an edge was released. The progress could not be stored. Or a run of the tree
 *   leaves (`run_life.ts`).
 * - `halt`: a stop or an exceeded limit, with grace.
 * - `halt_at_once`: a halt without grace. For example, an attempt with a timeout has a lifecycle of its own
 *   (`part_lifecycle.ts`). When the time is over, the attempt and the runs that it called are halted without grace.
 */
type LifecycleEvent = 'release' | 'halt' | 'halt_at_once' | 'end_grace' | 'end';

export const LIFECYCLE: TransitionTable<LifecycleState, LifecycleEvent> = {
  executing: { release: 'releasing', halt: 'halted', halt_at_once: 'cancelled', end: 'ended' },
  releasing: { release: 'releasing', halt: 'cancelled', halt_at_once: 'cancelled', end: 'ended' },
  halted: { release: 'cancelled', halt: 'halted', halt_at_once: 'halted', end_grace: 'cancelled', end: 'ended' },
  cancelled: { release: 'cancelled', halt: 'cancelled', halt_at_once: 'cancelled', end: 'ended' },
  ended: { release: 'ended', halt: 'ended', halt_at_once: 'ended' },
};

/** Moves a tree of runs through its states, and informs its nodes through abort signals. */
export class Lifecycle {
  #state: LifecycleState = 'executing';
  readonly #halt = new AbortController();
  readonly #cancel = new AbortController();
  readonly #releasing = new AbortController();
  readonly #onHalt: () => void;
  #grace: ReturnType<typeof setTimeout> | undefined;

  /** `onHalt` is called when the tree is halted, before a signal informs any node. */
  constructor(onHalt: () => void) {
    this.#onHalt = onHalt;
    // This listener must be the first one. If a release takes away the grace, the tree is then cancelled before other
    // listeners check it.
    this.#releasing.signal.addEventListener('abort', () => this.#tellCancelled());
  }

  get state(): LifecycleState {
    return this.#state;
  }

  /** Aborted with a Halt when the tree is halted. From then on no node starts. */
  get halted(): AbortSignal {
    return this.#halt.signal;
  }

  /** Aborted with the Halt when its grace is over. */
  get cancelled(): AbortSignal {
    return this.#cancel.signal;
  }

  /** Aborted when the tree must be released. */
  get releasing(): AbortSignal {
    return this.#releasing.signal;
  }

  /** The halt, if the tree is halted. */
  get halt(): Halt | undefined {
    // SAFETY: only #go aborts this signal, and the reason is a Halt.
    return this.#halt.signal.aborted ? this.#halt.signal.reason as Halt : undefined;
  }

  /** Releases the tree, so that another claim continues it. */
  release(): void {
    this.#go('release');
  }

  /** Halts the tree. Running nodes have the grace of the halt. If the tree must be released, they have none. */
  haltWith(halt: Halt): void {
    this.#go(halt.graceMs === 0 ? 'halt_at_once' : 'halt', halt);
  }

  /** Ends the lifecycle, because the claim has the outcome of the tree. */
  end(): void {
    this.#go('end');
  }

  #go(event: LifecycleEvent, halt = this.halt): void {
    const before = this.#state;
    const after = nextState(LIFECYCLE, before, event);
    this.#state = after;
    if (after === 'ended') return clearTimeout(this.#grace);
    if (event === 'release') this.#releasing.abort();
    if (after === before) return;
    clearTimeout(this.#grace);
    if (after !== 'releasing' && !this.halted.aborted) {
      this.#onHalt();
      this.#halt.abort(halt);
    }
    if (after === 'halted') this.#grace = setTimeout(() => this.#go('end_grace'), halt?.graceMs);
    this.#tellCancelled();
  }

  #tellCancelled(): void {
    if (this.#state === 'cancelled') this.#cancel.abort(this.halt);
  }
}
