import type { ValueMap } from '../../types/values/value.ts';
import { type NodeError, Released } from './node.ts';
import type { Parked, ParkedEnd, ParkedRun, Settlement, SettlementEnd, SettlementStep } from './settlement.ts';
import type { Sleepers } from './sleepers.ts';
import type { TreeRun } from './tree_run.ts';

/** One run of the tree, as the standstill sees it. */
export interface Participant extends ParkedRun {
  /** No execution of the run can continue by itself: each is parked, or waits for a flow that it called. */
  isQuiet: () => boolean;
  /** The same, but some executions may be asleep. */
  isDormant: () => boolean;
  /** Ends a parked execution. */
  end: (parked: Parked, end: ParkedEnd) => void;
  /** Lets a parked execution be tried again. */
  tryAgain: (parked: Parked, error: NodeError) => void;
  /** Lets the run see whether it continues. */
  wake: () => void;
}

/** Orders runs by their path in the tree, not by when they began, so that every claim settles in the same order. */
function comparePaths(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((step, at) => step !== b[at]);
  return index < 0 ? a.length - b.length : a[index]! - (b[index] ?? -1);
}

export interface StandstillOptions {
  settlement: Settlement;
  sleepers: Sleepers;
  /** Aborted with a Halt: nothing is settled any more. */
  halt: AbortSignal;
  /** Aborted, with the same Halt, when the executions under way have had the time that it leaves them. */
  cancel: AbortSignal;
  /** Aborted when the tree is to be released. */
  releasing: AbortSignal;
  /** Milliseconds since 1970. */
  now: () => number;
  /** The least time, in milliseconds, for which a tree that only waits is released. */
  leastSleepMs: number;
}

/**
 * What the runs of a tree do together when none of them can continue by itself. Parked instructions are settled, one step at a time.
 * A tree that only sleeps is released.
 * Source: docs/reference/transactions.md, "When a transaction is made".
 */
export class Standstill {
  readonly #tree: StandstillOptions;
  readonly #participants = new Map<TreeRun, Participant>();
  /** The path of each run: node indexes and `times` of the executions that called it, from the root on. */
  readonly #paths = new Map<TreeRun, number[]>();
  readonly #inFlight = new Set<Parked>();
  readonly #collected = new Map<TreeRun, unknown>();
  #isUnderWay = false;
  #settling: Promise<void> | undefined;
  #isLeaving = false;
  #isReleasing = false;
  #isSuspended = false;
  #sleepsUntil: number | undefined;
  #putOut: ValueMap | undefined;
  #fault: { error: unknown } | undefined;

  constructor(tree: StandstillOptions) {
    this.#tree = tree;
  }

  /** No run of the tree continues in this claim. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /** One run is released, so the whole tree is: runs that only wait for a settlement end their claim too. */
  get isReleasing(): boolean {
    return this.#isReleasing;
  }

  /** The tree continues when somebody outside has answered. */
  get isSuspended(): boolean {
    return this.#isSuspended;
  }

  /** When the tree continues, in milliseconds since 1970, if nothing can happen in it before. */
  get sleepsUntil(): number | undefined {
    return this.#sleepsUntil;
  }

  /** What the tree puts out of its instructions: with it every run ends where it is. */
  get putOut(): ValueMap | undefined {
    return this.#putOut;
  }

  join(participant: Participant): void {
    const { run } = participant;
    this.#participants.set(run, participant);
    const { caller } = run;
    const path = caller && [...this.#paths.get(caller.run) ?? [], caller.node.index, caller.execution.times];
    this.#paths.set(run, path ?? []);
  }

  remove(run: TreeRun): void {
    this.#participants.delete(run);
    this.#paths.delete(run);
  }

  /** A run is released, or waits until those that it called are: nothing is settled until the next claim. */
  release(): void {
    this.#isReleasing = true;
    this.#wakeAll();
  }

  /** What was collected of a run that was called for its instructions: it ends with that. */
  collectedFrom(run: TreeRun): unknown {
    return this.#collected.get(run);
  }

  /** The execution is part of the step under way: its end comes from there. */
  isInFlight(parked: Parked): boolean {
    return this.#inFlight.has(parked);
  }

  /**
   * A run has nothing to do but wait: if that is so everywhere, a settlement's time has come. If some of it is asleep for long, the
   * tree is released until then.
   */
  consider(): void {
    if (this.#isUnderWay) return;
    if (!this.#isTime()) {
      this.#considerSleep();
      return;
    }
    this.#isUnderWay = true;
    this.#settling = this.#settleAll();
  }

  /** Resolves when no step is under way; rejects with what kept one from being stored. */
  async settled(): Promise<void> {
    await this.#settling;
    if (this.#fault !== undefined) throw this.#fault.error;
  }

  #considerSleep(): void {
    const { sleepers, now, leastSleepMs } = this.#tree;
    const until = sleepers.earliest();
    if (until === undefined || until - now() < leastSleepMs || !this.#isOpen()) return;
    if (![...this.#participants.values()].every((participant) => participant.isDormant())) return;
    this.#sleepsUntil = until;
    this.#leaveAll();
  }

  #isOpen(): boolean {
    return !(this.#tree.halt.aborted || this.#isLeaving || this.#isReleasing);
  }

  #isTime(): boolean {
    if (!this.#isOpen()) return false;
    return [...this.#participants.values()].every((participant) => participant.isQuiet());
  }

  async #settleAll(): Promise<void> {
    try {
      // The run that considers it begins to wait in this same turn; only then is every run quiet.
      await Promise.resolve();
      while (this.#isTime()) {
        const step = this.#tree.settlement.nextStep(this.#withParked());
        if (step === undefined) return;
        await this.#settle(step);
      }
    } catch (error) {
      if (!(error instanceof Released)) this.#fault = { error };
      this.#leaveAll();
    } finally {
      // Without a pause after the last check, so that a run which begins to wait from now on is considered again.
      this.#isUnderWay = false;
    }
  }

  /** The runs that have parked something, in order. Filtered before sorting: of a thousand runs often only one has. */
  #withParked(): Participant[] {
    const pathOf = ({ run }: Participant) => this.#paths.get(run) ?? [];
    return [...this.#participants.values()]
      .filter(({ parked }) => parked.size > 0)
      .sort((a, b) => comparePaths(pathOf(a), pathOf(b)));
  }

  #leaveAll(): void {
    this.#isLeaving = true;
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const { wake } of this.#participants.values()) wake();
  }

  async #settle({ run, parked, settle }: SettlementStep): Promise<void> {
    const participant = this.#participants.get(run);
    if (participant === undefined) throw new Error('a step is of a run that takes part');
    for (const one of parked) this.#inFlight.add(one);
    try {
      const end = settle({ signal: this.#tree.cancel, releasing: this.#tree.releasing });
      this.#apply(participant, end instanceof Promise ? await end : end);
    } finally {
      this.#inFlight.clear();
    }
  }

  /** Applies a step's end without a pause: what is reported on the way is stored together, or not at all. */
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
      if (end.status === 'put_out') this.#putOut = end.outputs;
      else this.#isSuspended = true;
      this.#leaveAll();
    }
  }
}
