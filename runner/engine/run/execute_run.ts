import type { Tree } from '../tree/tree.ts';
import { BegunExecutions } from './under_way.ts';
import type { Course } from './course.ts';
import { GraphCourse } from './graph_course.ts';
import type { RunResult } from '../state/journal.ts';
import { News } from './news.ts';
import type { Halt } from '../node.ts';
import type { Participant } from '../tree/participants.ts';
import type { Release } from '../state/unended_run.ts';
import { RunLife } from './run_life.ts';
import { logLine } from '../log/run_log.ts';
import { StepCourse } from './step_course.ts';
import type { TreeRun } from '../tree/tree_run.ts';

/** One run during its execution. Its course chooses the executions. */
class RunExecution {
  readonly #tree: Tree;
  readonly #run: TreeRun;
  readonly #course: Course;
  readonly #news = new News();
  readonly #begun: BegunExecutions;
  readonly #life: RunLife;

  constructor(tree: Tree, run: TreeRun) {
    const { services: { slice } } = tree;
    this.#tree = tree;
    this.#run = run;
    this.#begun = new BegunExecutions(tree, run, this.#news);
    this.#life = new RunLife(tree, run, this.#begun);
    slice.startComputing();
    this.#course = run.plan === undefined
      ? new GraphCourse(tree, run, this.#begun)
      : new StepCourse(tree, run, run.plan, this.#begun);
    slice.stopComputing();
  }

  async execute(): Promise<RunResult | Release> {
    const { lifecycle: { halted }, services: { slice }, standstill } = this.#tree;
    standstill.join(this.#asParticipant());
    if (this.#run.isNew) {
      for (const warning of this.#course.warnings) logLine(this.#tree, this.#run, 'Warn', warning);
    }
    const onHalt = () => this.#news.tell();
    halted.addEventListener('abort', onHalt);
    slice.startComputing();
    await this.#follow().finally(slice.stopComputing);
    if (this.#life.look() !== 'going' && !halted.aborted) await this.#leave();
    halted.removeEventListener('abort', onHalt);
    return await this.#conclude();
  }

  /**
   * Repeats three steps. It starts the executions that are ready, waits until executions end, and tells the course of
   * these ends.
   */
  async #follow(): Promise<void> {
    const { lifecycle: { halted }, standstill } = this.#tree;
    const mayGoOn = () => this.#mayGoOn();
    while (this.#life.look() === 'going') {
      await this.#course.startReady(mayGoOn);
      if (!this.#begun.hasCompletions) {
        // While expressions are evaluated, the run waits even after a halt. The replay of a recorded execution needs
        // their results.
        if (!this.#begun.isHandingOn && (halted.aborted || !this.#begun.isAnyUnderWay)) break;
        const news = this.#news.next();
        standstill.consider();
        await this.#pause(news);
      }
      this.#course.apply(this.#begun.takeCompletions());
    }
  }

  /** Tests whether the run may start another execution. If the run must pause before that, returns a promise. */
  #mayGoOn(): boolean | Promise<boolean> {
    const { slice, journal } = this.#tree.services;
    return slice.needsBreath() || journal.isFull() ? this.#breathe() : this.#life.look() === 'going';
  }

  async #breathe(): Promise<boolean> {
    const { lifecycle, run, services: { slice, journal } } = this.#tree;
    if (slice.needsBreath()) await this.#pause(slice.breathe(run.ownerId));
    if (journal.isFull()) await this.#pause(journal.flush().catch(() => lifecycle.release()));
    return this.#life.look() === 'going';
  }

  /** If the run is leaving, releases the tree with all its runs. Then waits until no node of this run is running. */
  async #leave(): Promise<void> {
    const { lifecycle, standstill } = this.#tree;
    if (this.#life.state === 'leaving') {
      lifecycle.release();
      standstill.close();
    }
    while (this.#begun.isAnyRunning) await this.#news.next();
  }

  async #conclude(): Promise<RunResult | Release> {
    const { halt } = this.#tree.lifecycle;
    if (halt !== undefined) {
      this.#life.go('halt');
      await this.#endUnderWay(halt);
    } else if (this.#life.look() === 'leaving') {
      this.#life.go('end');
      return { status: 'released' };
    } else if (this.#life.state === 'left_behind') {
      this.#begun.leaveAll();
    }
    this.#life.go('end');
    // A redrive of this run reads the earlier runs again, so that it does not repeat their effects.
    if (!this.#course.hasAllEffects()) this.#tree.services.journal.leftIncomplete();
    return this.#course.result(halt);
  }

  /** Waits for running nodes as long as the halt allows, and then cancels them. */
  async #endUnderWay({ message }: Halt): Promise<void> {
    const { lifecycle: { cancelled }, standstill } = this.#tree;
    // If a settlement step is sending the instructions of a parked node, the node waits for the step. Any other parked
    // node ends now, and its instructions are never sent.
    for (const one of this.#begun.parking.parked.values()) {
      if (!standstill.isInFlight(one)) this.#begun.endParked(one, { error: message });
    }
    const onCancel = () => this.#news.tell();
    cancelled.addEventListener('abort', onCancel);
    const isOver = () => cancelled.aborted || (this.#course.endsAtOnce && this.#run.callsUnderWay === 0);
    while (this.#begun.isAnyUnderWay && !isOver()) await this.#news.next();
    cancelled.removeEventListener('abort', onCancel);
    // Only the settlement knows which instructions were sent, so the run waits for it. Meanwhile, a cancelled node may
    // end with an error of its own.
    await standstill.settled().catch(() => {});
    this.#begun.cancelAll(message);
    this.#course.apply(this.#begun.takeCompletions());
  }

  #asParticipant(): Participant {
    const begun = this.#begun;
    return {
      run: this.#run,
      nodes: this.#course.nodes,
      parked: begun.parking.parked,
      endings: begun.parking.endings,
      isQuiet: () => this.#news.isAwaited && begun.isQuiet(),
      isDormant: () => this.#news.isAwaited && begun.isQuiet(this.#tree.sleepers.countOf(this.#run)),
      end: (parked, end) => begun.endParked(parked, end),
      tryAgain: (parked, error) => begun.tryAgain(parked, error),
      log: ({ node, execution }, level, content) =>
        logLine(this.#tree, this.#run, level, content, { node, times: execution.times }),
      wake: () => this.#news.tell(),
    };
  }

  /** Waits. The time of the wait does not count as computing. */
  async #pause(until: Promise<void>): Promise<void> {
    const { slice } = this.#tree.services;
    slice.stopComputing();
    await until;
    slice.startComputing();
  }
}

/**
 * Executes one run to its end, or until it is released. Its course is that of its flow's graph, or of a plan of steps.
 *
 * In a graph, each edge carries a queue of values. A node starts when each of its incoming edges has a value. An optional
 * edge that will never have a value does not delay the node. Nodes that become ready together start in the order of the
 * flow's `nodes`. If a node fails, the nodes that need its outputs do not run, but all other nodes do. After a halt no
 * node starts. Running nodes get a signal. If a node ends in time, its outcome is recorded. Source:
 * docs/reference/flows.md.
 */
export const executeRun = (tree: Tree, run: TreeRun): Promise<RunResult | Release> =>
  new RunExecution(tree, run).execute();
