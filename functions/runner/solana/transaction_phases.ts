import { combineInstructionSets } from './instruction_set.ts';
import type { Parked, Step } from './bundling.ts';
import type { Tree, TreeRun } from '../engine/context.ts';
import { type LogLevel, NodeError, Released } from '../engine/node.ts';
import type { InstructionSet, StoredTransaction, TransactionEnd, TransactionOrder } from './transaction.ts';

/** One run of the tree, as the phases see it. */
export interface Participant {
  run: TreeRun;
  /** Nothing of it can go on by itself: all that runs is parked, or waits for flows that it called. */
  isQuiet: () => boolean;
  /** The same, but that some of it may be asleep. */
  isDormant: () => boolean;
  /** What to do next with its parked executions, if there are any; `begun` are transactions that earlier claims began. */
  nextStep: (begun: StoredTransaction[]) => Step | undefined;
  /** Ends a parked execution: with its signature, null for none, or with an error. */
  end: (parked: Parked, end: MemberEnd) => void;
  log: (parked: Parked, level: LogLevel, content: string) => void;
  /** Lets it look whether it has to leave. */
  wake: () => void;
}

export type MemberEnd = { signature: string | null } | { error: string };

/** The error of nodes that were to share a transaction, or one after it, when another one of them is at fault. */
const OTHER_FAILED = 'transaction simulation failed';

const NESTED = 'a flow that is called inside one that is called for its instructions can make none';

const isInsideCollected = ({ caller }: TreeRun): boolean =>
  caller !== undefined && (caller.run.isCollected || isInsideCollected(caller.run));

const parkedIn = (step: Step): Parked[] => step.type === 'send' ? [...step.members, ...step.others] : step.parked;

/** A run before those that it called, and these in the order of the nodes that called them: whenever they began, it is the same. */
function comparePaths(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((step, at) => step !== b[at]);
  return index < 0 ? a.length - b.length : a[index]! - (b[index] ?? -1);
}

export type PhasesOptions =
  & Pick<Tree, 'halt' | 'cancel' | 'releasing' | 'history' | 'journal' | 'services' | 'sleepers' | 'now'>
  & {
    /** The least time, in milliseconds, for which a tree that only waits is released. */
    leastSleepMs: number;
  };

/** A step with the run that it belongs to. */
interface Task {
  participant: Participant;
  step: Step;
}

/**
 * Makes transactions of what the runs of a tree have parked, one at a time, whenever nothing else in the tree can go on: the runs in
 * the order of the nodes that called them, in each the groups in theirs.
 * Source: RUNTIME.md, sections 3.1, 5.2 and 7.9.
 */
export class TransactionPhases {
  readonly #tree: PhasesOptions;
  readonly #participants = new Map<TreeRun, Participant>();
  /** Where each run stands in the tree: places in the flows' nodes arrays, and times, of the executions that it was called from. */
  readonly #paths = new Map<TreeRun, number[]>();
  readonly #inFlight = new Set<Parked>();
  readonly #collected = new Map<TreeRun, InstructionSet>();
  readonly #knownSignatures: Set<string>;
  #areFeesCharged: boolean;
  #isUnderWay = false;
  #phase: Promise<void> | undefined;
  #isLeaving = false;
  #isGoingBack = false;
  #isSuspended = false;
  #sleepsUntil: number | undefined;
  #putOut: string | undefined;
  #fault: { error: unknown } | undefined;

  constructor(tree: PhasesOptions) {
    this.#tree = tree;
    const { transactions } = tree.history;
    this.#knownSignatures = new Set(transactions.flatMap(({ signature }) => signature ?? []));
    this.#areFeesCharged = transactions.some(({ has_fees, outcome }) => has_fees && outcome === 'confirmed');
  }

  /** No run of the tree goes on. */
  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /** A run is released, and with it the tree: who waits for nothing but a transaction goes, too. */
  get isGoingBack(): boolean {
    return this.#isGoingBack;
  }

  /** The tree goes on when a signature has come. */
  get isSuspended(): boolean {
    return this.#isSuspended;
  }

  /** When the tree goes on, in milliseconds since 1970, if nothing can happen in it before. */
  get sleepsUntil(): number | undefined {
    return this.#sleepsUntil;
  }

  /** Base64 of the transaction that the tree puts out: with it every run ends where it is. */
  get putOut(): string | undefined {
    return this.#putOut;
  }

  join(participant: Participant): void {
    const { run } = participant;
    this.#participants.set(run, participant);
    const { caller } = run;
    const path = caller && [...this.#paths.get(caller.run) ?? [], caller.node.index, caller.execution.times];
    this.#paths.set(run, path ?? []);
  }

  leave(run: TreeRun): void {
    this.#participants.delete(run);
    this.#paths.delete(run);
  }

  /** A run goes back, or waits for those that it called to do so: no transaction is made until the next claim. */
  goBack(): void {
    this.#isGoingBack = true;
    this.#wakeAll();
  }

  /** What was collected of a run that was called for its instructions: it ends with that. */
  collectedFrom(run: TreeRun): InstructionSet | undefined {
    return this.#collected.get(run);
  }

  /** The execution's transaction is being made: what becomes of it comes from there. */
  isInFlight(parked: Parked): boolean {
    return this.#inFlight.has(parked);
  }

  /**
   * A run has nothing to do but wait: if that is so everywhere, a transaction's time has come. If some of it is asleep for long, the
   * tree is released until then.
   */
  consider(): void {
    if (this.#isUnderWay) return;
    if (!this.#isTime()) {
      this.#considerSleep();
      return;
    }
    this.#isUnderWay = true;
    this.#phase = this.#goOn();
  }

  /** Resolves when no transaction is being made; rejects with what kept one from being stored. */
  async settled(): Promise<void> {
    await this.#phase;
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
    return !(this.#tree.halt.aborted || this.#isLeaving || this.#isGoingBack);
  }

  #isTime(): boolean {
    if (!this.#isOpen()) return false;
    return [...this.#participants.values()].every((participant) => participant.isQuiet());
  }

  async #goOn(): Promise<void> {
    try {
      // Whoever said that it waits has to be waiting.
      await Promise.resolve();
      while (this.#isTime()) {
        const task = this.#nextTask();
        if (task === undefined) return;
        await this.#perform(task);
      }
    } catch (error) {
      if (!(error instanceof Released)) this.#fault = { error };
      this.#leaveAll();
    } finally {
      // In one go with the last look: a run that begins to wait from now on is looked at anew.
      this.#isUnderWay = false;
    }
  }

  #leaveAll(): void {
    this.#isLeaving = true;
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const { wake } of this.#participants.values()) wake();
  }

  #nextTask(): Task | undefined {
    const tasks = [...this.#participants.values()].flatMap((participant) => {
      const step = participant.nextStep(this.#tree.history.transactions);
      return step === undefined ? [] : [{ participant, step }];
    });
    const pathOf = ({ participant }: Task) => this.#paths.get(participant.run) ?? [];
    tasks.sort((a, b) => comparePaths(pathOf(a), pathOf(b)));
    // What a collected flow calls would send what the collected flow must not.
    const nested = tasks.find(({ participant }) => isInsideCollected(participant.run));
    if (nested !== undefined) {
      return { ...nested, step: { type: 'fail', parked: parkedIn(nested.step), error: NESTED } };
    }
    const isBegun = ({ step }: Task) => step.type === 'send' && step.stored !== undefined;
    // Instructions that one run lacks may still come from what another one does; so the innermost gives up first.
    return tasks.find(isBegun) ?? tasks.find(({ step }) => step.type !== 'fail') ?? tasks.at(-1);
  }

  async #perform({ participant, step }: Task): Promise<void> {
    if (step.type === 'release') { for (const one of step.parked) participant.end(one, { signature: null }); }
    else if (step.type === 'fail') { for (const one of step.parked) participant.end(one, { error: step.error }); }
    else if (participant.run.isCollected) this.#collect(participant, [...step.members, ...step.others]);
    else await this.#send(participant, step);
  }

  #collect(participant: Participant, parked: Parked[]): void {
    try {
      const set = combineInstructionSets(parked.flatMap(({ instructions }) => instructions ?? []));
      this.#collected.set(participant.run, set);
      participant.wake();
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      for (const one of parked) participant.end(one, { error: error.message });
    }
  }

  async #send(participant: Participant, step: Extract<Step, { type: 'send' }>): Promise<void> {
    const { members, others, stored } = step;
    const [first] = members;
    if (first === undefined) throw new Error('a transaction has members');
    const { cancel, releasing, services } = this.#tree;
    const order: TransactionOrder = {
      members: members.map(({ execution, instructions }) => ({ execution, instructions })),
      stored,
      chargesFees: !this.#areFeesCharged,
      environment: participant.run.graph.environment,
      knownSignatures: this.#knownSignatures,
      signal: cancel,
      releasing,
      log: (level, content) => participant.log(first, level, content),
    };
    for (const one of [...members, ...others]) this.#inFlight.add(one);
    try {
      this.#apply(participant, members, others, await services.transactions.execute(order));
    } finally {
      this.#inFlight.clear();
    }
  }

  /** In one go: the ends of the members and of their transaction are stored together, or not at all. */
  #apply(participant: Participant, members: Parked[], others: Parked[], end: TransactionEnd): void {
    const { journal } = this.#tree;
    if (end.status === 'put_out') {
      this.#putOut = end.transaction;
      this.#leaveAll();
    } else if (end.status === 'waiting') {
      this.#isSuspended = true;
      this.#leaveAll();
    } else {
      if (end.signature !== null) this.#knownSignatures.add(end.signature);
      if (members[0] !== undefined) journal.transactionEnded(members[0].execution, end.status, end.signature);
      if (end.status === 'confirmed') {
        this.#areFeesCharged ||= end.hasFees;
        for (const one of members) participant.end(one, { signature: end.signature });
      } else {
        members.forEach((one, index) => participant.end(one, { error: end.errors[index] ?? OTHER_FAILED }));
        for (const one of others) participant.end(one, { error: OTHER_FAILED });
      }
    }
  }
}
