import { Completions } from './completions.ts';
import type { Tree } from '../tree/tree.ts';
import { evaluateEdges } from './edge_expressions.ts';
import type { RunNode } from '../graph/graph.ts';
import type { Lifecycle } from '../state/lifecycle.ts';
import type { News } from './news.ts';
import type { NodeError } from '../node.ts';
import type { Execution } from '../execution/execution.ts';
import { copyMap, type Outcome, toError } from '../graph/outcome.ts';
import { Parking } from './parking.ts';
import type { Completion } from './run_record.ts';
import type { Handover, Parked, ParkedEnd } from '../tree/settlement.ts';
import type { TreeRun } from '../tree/tree_run.ts';

/** An execution that has begun. */
type Begun =
  & Pick<Completion, 'node' | 'times' | 'isElement' | 'positions'>
  & Pick<Execution, 'record' | 'handle' | 'again'>;

/** The executions of one run that have begun. They are under way, parked, released or completed. */
export class BegunExecutions {
  readonly parking: Parking;
  readonly #run: TreeRun;
  readonly #lifecycle: Lifecycle;
  readonly #news: News;
  readonly #underWay = new Map<RunNode, Begun>();
  /** Released executions. If the run then ends after all, these executions end with it. */
  readonly #released: Begun[] = [];
  readonly #completions: Completions;

  constructor(tree: Tree, run: TreeRun, news: News) {
    this.parking = new Parking(run.id);
    this.#run = run;
    this.#lifecycle = tree.lifecycle;
    this.#news = news;
    this.#completions = new Completions((completion) => evaluateEdges(tree, completion), tree.lifecycle, news);
  }

  /**
   * True if an execution runs, rests or waits for its settlement. Also true if the outputs of an ended execution are
   * not ready for the next nodes.
   */
  get isAnyUnderWay(): boolean {
    return this.#underWay.size > 0 || this.isHandingOn;
  }

  /** True if expressions on the outgoing edges of ended executions are being evaluated. */
  get isHandingOn(): boolean {
    return this.#completions.isEvaluating;
  }

  /** True if at least one execution under way is not parked. */
  get isAnyRunning(): boolean {
    return this.#underWay.size > this.parking.parked.size;
  }

  get isAnyReleased(): boolean {
    return this.#released.length > 0 || this.#completions.hasReleased;
  }

  get hasCompletions(): boolean {
    return this.#completions.hasReady;
  }

  /** True if each execution under way is parked, asleep, or waits for a flow that it called. */
  isQuiet(asleep = 0): boolean {
    return !this.hasCompletions && !this.isHandingOn &&
      this.#underWay.size === this.parking.parked.size + this.#run.callsUnderWay + asleep;
  }

  /** Returns the completions since the last call and removes them. */
  takeCompletions(): Completion[] {
    return this.#completions.takeReady();
  }

  /** Adds an execution with its outcome, or with the promise of its outcome. */
  add(begun: Begun, outcome: Execution['outcome']): void {
    if (!(outcome instanceof Promise)) return this.#endOrPark(begun, outcome);
    this.#underWay.set(begun.node, begun);
    this.#follow(begun, outcome);
  }

  /** Adds the completion of a skipped element of a loop. */
  skip(completion: Completion): void {
    this.#completions.add(completion);
  }

  /** Ends a parked execution with the outcome of its settlement. */
  endParked({ node, handedOver }: Parked, end: ParkedEnd): void {
    const begun = this.#underWay.get(node);
    if (begun === undefined) return;
    this.#end(
      begun,
      'error' in end
        ? { ...toError(end.error), handedOver }
        : { outputs: Object.assign(copyMap(handedOver), end.outputs) },
    );
    this.#news.tell();
  }

  /**
   * Makes another attempt of a parked execution. When the attempt has handed over its instructions, the execution parks
   * again.
   */
  tryAgain(parked: Parked, error: NodeError): void {
    const begun = this.#underWay.get(parked.node);
    if (begun?.again === undefined) return;
    this.parking.leave(parked);
    this.#follow(begun, begun.again.after(error));
  }

  /** Ends all executions that have not ended, with the error of the halt. */
  cancelAll(message: string): void {
    for (const begun of [...this.#underWay.values(), ...this.#released]) {
      this.#end(begun, { ...toError(message), handedOver: this.parking.handedOver(begun.node) });
    }
    this.#completions.endEvaluating();
  }

  /** Forgets all executions under way. Their later outcomes are ignored, and their stored rows do not change. */
  leaveAll(): void {
    this.#underWay.clear();
  }

  /** Ends or parks an execution under way when its outcome comes. */
  #follow(begun: Begun, outcome: Promise<Outcome | Handover>): void {
    const { node } = begun;
    void outcome.then((given) => {
      // If the execution is no longer under way, it was recorded as cancelled, or the run was left.
      if (this.#underWay.get(node) === begun) this.#endOrPark(begun, given);
    }, () => {
      this.#underWay.delete(node);
      this.#released.push(begun);
      this.#lifecycle.release();
    }).finally(() => this.#news.tell());
  }

  /** Ends an execution that has an outcome; parks one that has handed over instructions. */
  #endOrPark(begun: Begun, given: Outcome | Handover): void {
    const { node, times, again } = begun;
    if (!('instructions' in given)) return this.#end(begun, given);
    this.#underWay.set(node, begun);
    if (!this.parking.park(node, times, given, again)) return;
    this.#completions.add({ ...begun, outcome: { outputs: given.handedOver }, part: 'handed_over' });
  }

  /** Ends an execution, once. */
  #end(begun: Begun, given: Outcome): void {
    const { node } = begun;
    const outcome = 'error' in given ? begun.handle(given) : given;
    this.#underWay.delete(node);
    begun.record(outcome);
    const wasParked = this.parking.end(node, outcome);
    const handedOver = 'error' in outcome ? outcome.handedOver : undefined;
    // The execution failed after an earlier claim had handed over these outputs. The next nodes still get them.
    if (handedOver !== undefined && !wasParked) {
      this.#completions.add({ ...begun, outcome: { outputs: handedOver }, part: 'handed_over' });
    }
    this.#completions.add({ ...begun, outcome, part: wasParked || handedOver !== undefined ? 'rest' : 'all' });
  }
}
