import type { ValueMap } from '../../../types/values/value.ts';
import type { Lifecycle } from '../state/lifecycle.ts';
import { Released } from '../node.ts';
import { type Participant, Participants } from './participants.ts';
import type { Release, Suspension } from '../state/unended_run.ts';
import type { Parked, Settlement, SettlementEnd, SettlementStep } from './settlement.ts';
import type { Sleepers } from './sleepers.ts';
import { nextState, type TransitionTable } from '../state/transitions.ts';
import type { TreeRun } from './tree_run.ts';

interface StandstillOptions {
  settlement: Settlement;
  sleepers: Sleepers;
  lifecycle: Lifecycle;
  /** Milliseconds since 1970. */
  now: () => number;
  /** A waiting tree is released only if it will wait for at least this time, in milliseconds. */
  leastSleepMs: number;
}

/** The reason why all runs of a tree leave their claim together. */
type Departure =
  /** All nodes wait until this time at least, in milliseconds since 1970. */
  | { why: 'asleep'; until: number }
  /** Somebody outside has to answer. */
  | { why: 'suspended'; until: number | undefined }
  /** The tree's transaction is its output. */
  | { why: 'put_out'; outputs: ValueMap }
  /** The next claim continues the settlement that this claim began. */
  | { why: 'released' }
  /** A step could not be stored. */
  | { why: 'failed'; error: unknown };

/**
 * The states of `Standstill`, which decides what a tree does when none of its runs can continue by itself.
 *
 * - `open`: some run may continue by itself, or all runs wait and the next step is due.
 * - `settling`: a step settles parked instructions. Further steps follow while no run can continue.
 * - `closed`: a run is released, so the whole tree is released. No further step begins. A step under way ends.
 * - `left`: all runs leave the claim. `Departure` has the reason.
 */
export type StandstillState = 'open' | 'settling' | 'closed' | 'left';
type StandstillEvent = 'settle' | 'settled' | 'close' | 'leave';

/**
 * A halted tree takes no step. The halt is a state of `Lifecycle`, so this table does not have it.
 */
export const STANDSTILL: TransitionTable<StandstillState, StandstillEvent> = {
  open: { settle: 'settling', close: 'closed', leave: 'left' },
  settling: { settled: 'open', close: 'closed', leave: 'left' },
  closed: { settled: 'closed', close: 'closed', leave: 'left' },
  left: { settled: 'left', close: 'left' },
};

/**
 * Decides what all runs of a tree do together when none of them can continue by itself. Parked instructions are
 * settled, one step at a time. A tree that only sleeps is released. Source: docs/reference/transactions.md, "When a
 * transaction is made".
 */
export class Standstill {
  readonly #tree: StandstillOptions;
  readonly #participants = new Participants();
  readonly #inFlight = new Set<Parked>();
  readonly #collected = new Map<TreeRun, unknown>();
  #state: StandstillState = 'open';
  /** Undefined until all runs leave. */
  #departure: Departure | undefined;
  #settling: Promise<void> | undefined;

  constructor(tree: StandstillOptions) {
    this.#tree = tree;
  }

  get state(): StandstillState {
    return this.#state;
  }

  /**
   * The outputs of the root run, if the tree's transaction is its output. In this case, every run ends at once.
   * Otherwise undefined.
   */
  get putOut(): ValueMap | undefined {
    return this.#departure?.why === 'put_out' ? this.#departure.outputs : undefined;
  }

  /** Returns how a released tree continues: at once, at a given time, or after an answer from outside. */
  releaseOf(release: Release): Release | Suspension {
    if (this.#departure?.why === 'suspended') return { status: 'waiting', until: this.#departure.until };
    return this.#departure?.why === 'asleep' ? { ...release, until: this.#departure.until } : release;
  }

  join(participant: Participant): void {
    this.#participants.add(participant);
  }

  remove(run: TreeRun): void {
    this.#participants.remove(run);
  }

  /** Called if a run is released, or waits for the release of a called run. No further step follows in this claim. */
  close(): void {
    this.#go('close');
    this.#participants.wakeAll();
  }

  /** Returns the collected output of a run that was called for its instructions. The run ends with this output. */
  collectedFrom(run: TreeRun): unknown {
    return this.#collected.get(run);
  }

  /** True if the execution is part of the step under way. Then this step will end the execution. */
  isInFlight(parked: Parked): boolean {
    return this.#inFlight.has(parked);
  }

  /**
   * Called when a run can only wait. If all runs of the tree can only wait, the next settlement step begins. If
   * executions sleep for long, the tree is released until the first of them wakes.
   */
  consider(): void {
    if (this.#state !== 'open') return;
    if (!this.#isTime()) {
      this.#considerSleep();
      return;
    }
    this.#go('settle');
    this.#settling = this.#settleAll();
  }

  /** Resolves when no step is under way. If a step could not be stored, rejects with the error. */
  async settled(): Promise<void> {
    await this.#settling;
    if (this.#departure?.why === 'failed') throw this.#departure.error;
  }

  #considerSleep(): void {
    const { sleepers, now, leastSleepMs } = this.#tree;
    const until = sleepers.earliest();
    if (until === undefined || until - now() < leastSleepMs || !this.#isOpen()) return;
    if (!this.#participants.all().every((participant) => participant.isDormant())) return;
    this.#leave({ why: 'asleep', until });
  }

  /** True while the tree may take a step. */
  #isOpen(): boolean {
    return this.#tree.lifecycle.halt === undefined && (this.#state === 'open' || this.#state === 'settling');
  }

  #isTime(): boolean {
    if (!this.#isOpen()) return false;
    return this.#participants.all().every((participant) => participant.isQuiet());
  }

  async #settleAll(): Promise<void> {
    try {
      // The run that called `consider` begins to wait only after this call, in the same turn of the event loop. Before
      // that, not all runs are quiet.
      await Promise.resolve();
      while (this.#isTime()) {
        const step = this.#tree.settlement.nextStep(this.#participants.withParked());
        if (step === undefined) return;
        await this.#settle(step);
      }
    } catch (error) {
      this.#leave(error instanceof Released ? { why: 'released' } : { why: 'failed', error });
    } finally {
      // There was no pause since the last check. So if a run begins to wait later, it calls `consider` in the state
      // `open`.
      this.#go('settled');
    }
  }

  #leave(departure: Departure): void {
    this.#go('leave');
    this.#departure = departure;
    this.#participants.wakeAll();
  }

  #go(event: StandstillEvent): void {
    this.#state = nextState(STANDSTILL, this.#state, event);
  }

  async #settle({ run, parked, settle }: SettlementStep): Promise<void> {
    const { lifecycle } = this.#tree;
    const participant = this.#participants.get(run);
    if (participant === undefined) throw new Error('a step belongs to a run that does not take part in the standstill');
    for (const one of parked) this.#inFlight.add(one);
    try {
      const end = settle({ signal: lifecycle.cancelled, releasing: lifecycle.releasing });
      this.#apply(participant, end instanceof Promise ? await end : end);
    } finally {
      this.#inFlight.clear();
    }
  }

  /** Applies the end of a step without a pause, so that all rows of this end are stored together. */
  #apply(participant: Participant, end: SettlementEnd): void {
    if (end.status === 'ended') {
      end.store?.();
      for (const one of end.ends) participant.end(one.parked, one.end);
    } else if (end.status === 'failed_for_now') {
      end.store?.();
      for (const one of end.failures) participant.tryAgain(one.parked, one.error);
    } else if (end.status === 'collected') {
      this.#collected.set(participant.run, end.instructions);
      participant.wake();
    } else {
      this.#leave(
        end.status === 'put_out'
          ? { why: 'put_out', outputs: end.outputs }
          : { why: 'suspended', until: this.#tree.sleepers.firstDeadline() },
      );
    }
  }
}
