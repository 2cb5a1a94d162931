import type { Value } from '../../types/values/value.ts';
import type { Release, Tree } from './context.ts';
import type { EarlierPositions } from './earlier_positions.ts';
import { makeRunGraph, type RunEdge, type RunGraph, type RunNode } from './graph.ts';
import type { RunResult } from './journal.ts';
import type { Halt, NodeError } from './node.ts';
import { beginExecution, type Execution } from './node_execution.ts';
import { completeInputs, copyMap, type Outcome, toError } from './node_values.ts';
import { Parking } from './parking.ts';
import { type FinishedNodes, type Lack, readiness, reasonOfLack, spreadFinished, take } from './readiness.ts';
import { TakeOver } from './redrive.ts';
import { logLine } from './run_log.ts';
import { type Completion, RunRecord } from './run_record.ts';
import { type Handover, type Parked, type ParkedEnd, SIGNATURE } from './settlement.ts';
import type { Participant } from './standstill.ts';
import type { TreeRun } from './tree_run.ts';

/** An execution that has begun. */
type Begun =
  & Pick<Completion, 'node' | 'times' | 'isElement' | 'positions'>
  & Pick<Execution, 'record' | 'again'>;

/** One run while it is executed: the state of its graph, and the executions under way. */
class RunExecution {
  readonly #tree: Tree;
  readonly #run: TreeRun;
  readonly #graph: RunGraph;
  readonly #record = new RunRecord();
  readonly #parking: Parking;
  /** Only a redriven run has something to take over. */
  readonly #takeOver: TakeOver | undefined;
  /** The executions that run. */
  readonly #underWay = new Map<RunNode, Begun>();
  /** What has ended since the last turn. */
  #completions: Completion[] = [];
  /** Executions that were released. They are ended if the run ends after all. */
  readonly #released: Begun[] = [];
  #wake = () => {};
  #isWaiting = false;
  #mustRelease = false;

  constructor(tree: Tree, run: TreeRun) {
    this.#tree = tree;
    this.#run = run;
    tree.slice.startComputing();
    this.#graph = makeRunGraph(run.graph, tree.registry, tree.hasCalledEffects);
    this.#parking = new Parking(run.id);
    this.#takeOver = run.earlierRuns && new TakeOver(tree.history.earlierRuns, run.earlierRuns, this.#graph.nodes);
    tree.slice.stopComputing();
  }

  async execute(): Promise<RunResult | Release> {
    const { halt, slice, standstill } = this.#tree;
    standstill.join(this.#asParticipant());
    if (this.#run.isNew) {
      for (const warning of this.#graph.warnings) logLine(this.#tree, this.#run, 'Warn', warning);
    }
    const onHalt = () => this.#wake();
    halt.addEventListener('abort', onHalt);
    slice.startComputing();
    await this.#goThroughGraph().finally(slice.stopComputing);
    if (this.#isReleasing() && !halt.aborted) {
      if (!this.#isLeftBehind()) {
        this.#tree.release();
        standstill.release();
      }
      // A node that can't begin again runs to its end, within its own time limits. All others are released.
      while (this.#underWay.size > this.#parking.parked.size) await this.#news();
    }
    halt.removeEventListener('abort', onHalt);
    // SAFETY: whoever aborts it gives a Halt.
    const reason = halt.aborted ? halt.reason as Halt : undefined;
    if (reason !== undefined) {
      await this.#endUnderWay(reason);
    } else if (this.#isLeftBehind()) {
      // The record of what is under way stays as it is.
      this.#underWay.clear();
    } else if (this.#isReleasing()) {
      return { status: 'released' };
    }
    return this.#record.result(this.#graph.nodes.filter((node) => !node.hasStarted), reason);
  }

  /** Turn by turn: starts what is ready, waits for something to end, hands its outputs on. */
  async #goThroughGraph(): Promise<void> {
    const { halt } = this.#tree;
    const { nodes } = this.#graph;
    const finished: FinishedNodes = new Map();
    let candidates: RunNode[] = nodes;
    while (!this.#isReleasing()) {
      await this.#startReady(candidates, finished);
      if (this.#completions.length === 0) {
        if (halt.aborted || this.#underWay.size === 0) break;
        const news = this.#news();
        this.#tree.standstill.consider();
        await this.#pause(news);
      }
      const batch = this.#completions;
      this.#completions = [];
      const touched = new Set(batch.flatMap((completion) => this.#apply(completion)));
      // A node may have waited for one that will never run.
      for (const node of spreadFinished(touched, finished)) {
        if (node.times === 0) this.#parking.leaveOut(node, finished.get(node)!);
        for (const { target } of node.outgoing) touched.add(target);
      }
      candidates = [...touched].sort((a, b) => a.index - b.index);
    }
  }

  async #startReady(candidates: RunNode[], finished: FinishedNodes): Promise<void> {
    const { slice, journal, release } = this.#tree;
    for (const node of candidates) {
      const state = readiness(node, finished);
      if (state === 'no') continue;
      if (state === 'skip') this.#skip(node, reasonOfLack(node, finished));
      else this.#start(node);
      if (slice.needsBreath()) await this.#pause(slice.breathe(this.#tree.run.ownerId));
      if (journal.isFull()) await this.#pause(journal.flush().catch(release));
      if (this.#isReleasing()) return;
    }
  }

  /**
   * Starts a node, unless the run has had all executions that it may have. After a halt only executions on record are replayed, or
   * taken over: the run's outputs are made of them, and those that an earlier claim began are cancelled.
   */
  #start(node: RunNode): void {
    const { halt, history, countExecution } = this.#tree;
    const stored = history.nodeRun({ flow_run_id: this.#run.id, node_id: node.id, times: node.times });
    const positions = this.#takeOver?.positionsOfNext(node);
    const takenOver = stored === undefined && positions ? this.#takeOver?.find(node, positions) : undefined;
    const onRecord = stored ?? takenOver;
    if (halt.aborted ? onRecord === undefined : !countExecution(onRecord)) return;
    const { values, isElement } = take(node);
    const times = node.times++;
    node.hasStarted = true;
    node.isRunning = true;
    const inputs = completeInputs(node, values, this.#run.inputs);
    const calledRuns = positions && this.#takeOver?.calledRuns(node, positions);
    const { outcome, record, again } = beginExecution(this.#tree, this.#run, node, times, inputs, {
      stored,
      takenOver,
      calledRuns,
    });
    const begun: Begun = { node, times, isElement, positions, record, again };
    if (!(outcome instanceof Promise)) return this.#endOrPark(begun, outcome);
    this.#underWay.set(node, begun);
    this.#follow(begun, outcome);
  }

  /** Ends or parks an execution under way when its outcome comes. */
  #follow(begun: Begun, outcome: Promise<Outcome | Handover>): void {
    const { node } = begun;
    void outcome.then((given) => {
      // If it is not under way any more, it was cancelled and recorded as cancelled.
      if (this.#underWay.get(node) === begun) this.#endOrPark(begun, given);
    }, () => {
      this.#underWay.delete(node);
      this.#released.push(begun);
      this.#tree.release();
    }).finally(() => this.#wake());
  }

  /** Ends an execution that gave its outcome; parks one that handed instructions over. */
  #endOrPark(begun: Begun, given: Outcome | Handover): void {
    const { node, times, again } = begun;
    if (!('instructions' in given)) return this.#end(begun, given);
    this.#underWay.set(node, begun);
    if (!this.#parking.park(node, times, given, again)) return;
    this.#completions.push({ ...begun, outcome: { outputs: given.handedOver }, part: 'handed_over' });
  }

  /** Ends an execution, once. */
  #end(begun: Begun, outcome: Outcome): void {
    const { node } = begun;
    this.#underWay.delete(node);
    begun.record(outcome);
    const wasParked = this.#parking.end(node, outcome);
    const handedOver = 'error' in outcome ? outcome.handedOver : undefined;
    // An earlier claim handed these outputs on, and then the execution failed.
    if (handedOver !== undefined && !wasParked) {
      this.#completions.push({ ...begun, outcome: { outputs: handedOver }, part: 'handed_over' });
    }
    this.#completions.push({ ...begun, outcome, part: wasParked || handedOver !== undefined ? 'rest' : 'all' });
  }

  /** Ends a parked execution with what its settlement came to. */
  #endParked({ node, handedOver }: Parked, end: ParkedEnd): void {
    const begun = this.#underWay.get(node);
    if (begun === undefined) return;
    this.#end(
      begun,
      'error' in end
        ? { ...toError(end.error), handedOver }
        : { outputs: Object.assign(copyMap(handedOver), end.outputs) },
    );
    this.#wake();
  }

  /** Lets a parked execution be tried again. It is parked anew when its next attempt has handed instructions over. */
  #tryAgain(parked: Parked, error: NodeError): void {
    const begun = this.#underWay.get(parked.node);
    if (begun?.again === undefined) return;
    this.#parking.leave(parked);
    this.#follow(begun, begun.again.after(error));
  }

  #asParticipant(): Participant {
    return {
      run: this.#run,
      nodes: this.#graph.nodes,
      parked: this.#parking.parked,
      endings: this.#parking.endings,
      isQuiet: () => this.#isWaiting && this.#isQuiet(),
      isDormant: () => this.#isWaiting && this.#isQuiet(this.#tree.sleepers.countOf(this.#run)),
      end: (parked, end) => this.#endParked(parked, end),
      tryAgain: (parked, error) => this.#tryAgain(parked, error),
      log: ({ node, execution }, level, content) =>
        logLine(this.#tree, this.#run, level, content, { node, times: execution.times }),
      wake: () => this.#wake(),
    };
  }

  /** Passes over an element that lacks a value which the node needs, or is not to be submitted. */
  #skip(node: RunNode, skipped: Lack): void {
    this.#parking.leaveOut(node, skipped);
    const positions = this.#takeOver?.positionsOfNext(node);
    const { isElement } = take(node);
    const times = node.times++;
    node.isRunning = true;
    this.#completions.push({
      node,
      times,
      isElement,
      positions,
      outcome: { outputs: copyMap({}) },
      skipped,
      part: 'all',
    });
  }

  /** Hands outputs on; returns the nodes that may be ready now. */
  #apply(completion: Completion): RunNode[] {
    const { node, isElement, positions, outcome, skipped, part } = completion;
    const outputs = 'outputs' in outcome ? outcome.outputs : copyMap({});
    const lack = skipped ?? ('error' in outcome ? 'failed' : 'unset');
    const hasSucceeded = skipped === undefined && !('error' in outcome);
    if (part !== 'handed_over') {
      node.isRunning = false;
      node.absence = lack;
      this.#record.add(completion);
    }
    for (const edge of node.outgoing) {
      if (part === (edge.sourcePort === SIGNATURE ? 'handed_over' : 'rest')) continue;
      const value = outputs[edge.sourcePort];
      if (value !== undefined && edge.isSpread) {
        const elements = 'A' in value ? value.A : [value];
        this.#tree.countElements(elements.length);
        const positionsOf = this.#positionsOfEntries(edge, positions, elements);
        for (const [index, element] of elements.entries()) {
          edge.queue.push({ value: element, absence: undefined, isElement: true, positions: positionsOf?.[index] });
        }
        continue;
      }
      const isNotHandedOn = edge.isPassthrough && hasSucceeded;
      // Inside a loop every iteration leaves an entry, so that the ones after it keep their positions.
      if (value === undefined && !isElement && !edge.isOptional && !isNotHandedOn) continue;
      const absence = value === undefined ? isNotHandedOn ? 'not_handed_on' : lack : undefined;
      edge.queue.push({
        value,
        absence,
        isElement,
        positions: this.#positionsOfEntries(edge, positions, [value])?.[0],
      });
    }
    return [node, ...node.outgoing.map((edge) => edge.target)];
  }

  /** Where entries stood in the runs that this one was redriven from; undefined in all other runs. */
  #positionsOfEntries(
    edge: RunEdge,
    of: EarlierPositions | undefined,
    values: (Value | undefined)[],
  ): EarlierPositions[] | undefined {
    return of && this.#takeOver?.positionsOfEntries(edge, of, values);
  }

  /** Waits for what runs as long as the halt allows, and cancels the rest. */
  async #endUnderWay({ message }: Halt): Promise<void> {
    const { cancel, standstill } = this.#tree;
    // Instructions that are not in flight are not sent any more.
    for (const one of this.#parking.parked.values()) {
      if (!standstill.isInFlight(one)) this.#endParked(one, { error: message });
    }
    const wake = () => this.#wake();
    cancel.addEventListener('abort', wake);
    while (this.#underWay.size > 0 && !cancel.aborted) await this.#news();
    cancel.removeEventListener('abort', wake);
    // A node that ends as soon as it is cancelled may give its own error. Of sent instructions the settlement knows.
    await standstill.settled().catch(() => {});
    for (const begun of [...this.#underWay.values(), ...this.#released]) {
      this.#end(begun, this.#cancelled(begun, message));
    }
    this.#completions.splice(0).forEach((completion) => this.#apply(completion));
  }

  #cancelled({ node }: Begun, message: string): Outcome {
    return { ...toError(message), handedOver: this.#parking.handedOver(node) };
  }

  /** Everything under way is parked, waits for a flow that it called, or is asleep. */
  #isQuiet(asleep = 0): boolean {
    return this.#completions.length === 0 &&
      this.#underWay.size === this.#parking.parked.size + this.#run.callsUnderWay + asleep;
  }

  /**
   * Nothing more is to be started: a node was released, or the run is to be and this claim has brought it on. It stays so: when the run
   * that a node called is released, the node has not heard of it yet, and nothing else would tell that this run is not at its end.
   */
  #isReleasing(): boolean {
    const { releasing, slice, hasProgressed, standstill } = this.#tree;
    return this.#mustRelease ||= this.#released.length > 0 || standstill.isLeaving || this.#isLeftBehind() ||
      (standstill.isReleasing && this.#underWay.size > 0 && this.#isQuiet()) ||
      ((releasing.aborted || slice.releasing.aborted) && hasProgressed());
  }

  /** The run ends where it is: its instructions were collected, or the settlement put something out for the whole tree. */
  #isLeftBehind(): boolean {
    const { standstill } = this.#tree;
    return standstill.putOut !== undefined || standstill.collectedFrom(this.#run) !== undefined;
  }

  /** Resolves when something has ended, or the run is halted. */
  #news(): Promise<void> {
    this.#isWaiting = true;
    return new Promise((resolve) =>
      this.#wake = () => {
        this.#isWaiting = false;
        resolve();
      }
    );
  }

  /** Waits. This time does not count as computing. */
  async #pause(until: Promise<void>): Promise<void> {
    const { slice } = this.#tree;
    slice.stopComputing();
    await until;
    slice.startComputing();
  }
}

/**
 * Executes one run to its end, or until it is released.
 *
 * Each edge carries a queue of values. A node starts when each of its edges has a value, or needs none and will never have one. Nodes
 * that become ready together start in the order of the flow's `nodes`. A node fails alone: nodes that need its outputs do not run,
 * all others do. After a halt no node starts; those that run are told, and recorded if they end in time.
 * Source: docs/reference/flows.md.
 */
export const executeRun = (tree: Tree, run: TreeRun): Promise<RunResult | Release> =>
  new RunExecution(tree, run).execute();
