import type { HandBack, Tree, TreeRun } from './context.ts';
import { makeRunGraph, type RunGraph, type RunNode } from './graph.ts';
import type { RunResult } from './journal.ts';
import type { Halt } from './node.ts';
import { beginExecution, logLine } from './node_execution.ts';
import { completeInputs, copyMap, type Outcome, toError } from './node_values.ts';
import { type FinishedNodes, readiness, take } from './readiness.ts';
import { type Completion, RunRecord } from './run_record.ts';

/** One run on its way: the state of its graph, and what is under way. */
class RunExecution {
  readonly #tree: Tree;
  readonly #run: TreeRun;
  readonly #graph: RunGraph;
  readonly #record = new RunRecord();
  /** The nodes that run, with what ends them. */
  readonly #underWay = new Map<RunNode, (outcome: Outcome) => void>();
  /** What has ended since the last turn. */
  #completions: Completion[] = [];
  /** What ends the nodes that gave up their time, should the run end after all. */
  readonly #handedBack: ((outcome: Outcome) => void)[] = [];
  #wake = () => {};

  constructor(tree: Tree, run: TreeRun) {
    this.#tree = tree;
    this.#run = run;
    this.#graph = makeRunGraph(run.graph, tree.registry);
  }

  async execute(): Promise<RunResult | HandBack> {
    const { halt, slice } = this.#tree;
    if (this.#run.isNew) {
      for (const warning of this.#graph.warnings) logLine(this.#tree, this.#run, 'Warn', warning);
    }
    const onHalt = () => this.#wake();
    halt.addEventListener('abort', onHalt);
    slice.enter();
    await this.#goThroughGraph().finally(slice.leave);
    if (this.#goesBack() && !halt.aborted) {
      // What can't begin again goes on to its end, which its own time limits bring; the rest gives way.
      while (this.#underWay.size > 0) await this.#news();
    }
    halt.removeEventListener('abort', onHalt);
    if (this.#goesBack() && !halt.aborted) return { status: 'handed_back' };
    // SAFETY: whoever aborts it gives a Halt.
    const reason = halt.aborted ? halt.reason as Halt : undefined;
    if (reason !== undefined) await this.#endUnderWay(reason);
    return this.#record.result(this.#graph.nodes.filter((node) => !node.hasStarted), reason);
  }

  /** Turn by turn: starts what is ready, waits for something to end, hands on what it gave. */
  async #goThroughGraph(): Promise<void> {
    const { halt } = this.#tree;
    const { nodes } = this.#graph;
    let candidates: RunNode[] = nodes;
    while (!this.#goesBack()) {
      await this.#startReady(candidates);
      if (this.#completions.length === 0) {
        // A node may wait for one that will never run: only a look at all of them tells.
        if (candidates !== nodes) {
          candidates = nodes;
          continue;
        }
        if (halt.aborted || this.#underWay.size === 0) break;
        await this.#pause(this.#news());
      }
      const batch = this.#completions;
      this.#completions = [];
      const touched = new Set(batch.flatMap((completion) => this.#apply(completion)));
      const hasFailed = batch.some(({ outcome }) => 'error' in outcome);
      candidates = hasFailed ? nodes : [...touched].sort((a, b) => a.index - b.index);
    }
  }

  async #startReady(candidates: RunNode[]): Promise<void> {
    const { slice, journal, giveBack } = this.#tree;
    const known: FinishedNodes = new Map();
    for (const node of candidates) {
      const state = readiness(node, known);
      if (state === 'no') continue;
      if (state === 'skip') this.#skip(node);
      else this.#start(node);
      if (slice.needsBreath()) await this.#pause(slice.breathe());
      if (journal.isFull()) await this.#pause(journal.flush().catch(giveBack));
      if (this.#goesBack()) return;
    }
  }

  /**
   * Starts a node, unless its execution is one too many. After a halt only what is on record is gone through again: the outputs
   * of the run are made of it, and what an earlier claim began is cancelled.
   */
  #start(node: RunNode): void {
    const { halt, history, countExecution } = this.#tree;
    const stored = history.nodeRun({ flow_run_id: this.#run.id, node_id: node.id, times: node.times });
    if (halt.aborted ? stored === undefined : !countExecution(stored)) return;
    const { values, isElement } = take(node);
    const times = node.times++;
    node.hasStarted = true;
    node.isRunning = true;
    const inputs = completeInputs(node, values, this.#run.inputs);
    const { outcome, record } = beginExecution(this.#tree, this.#run, node, times, inputs, stored);
    const end = (ended: Outcome) => {
      record(ended);
      this.#completions.push({ node, times, isElement, outcome: ended });
    };
    if (!(outcome instanceof Promise)) return end(outcome);
    this.#underWay.set(node, end);
    void outcome.then((ended) => {
      // Not under way any more: it was cancelled, and is recorded as that.
      if (this.#underWay.delete(node)) end(ended);
    }, () => {
      this.#underWay.delete(node);
      this.#handedBack.push(end);
      this.#tree.giveBack();
    }).finally(() => this.#wake());
  }

  /** Passes over an element that lacks a required value. */
  #skip(node: RunNode): void {
    const { isElement } = take(node);
    const times = node.times++;
    node.isRunning = true;
    this.#completions.push({ node, times, isElement, outcome: { outputs: copyMap({}) } });
  }

  /** Hands the outputs on; returns the nodes that may be ready now. */
  #apply(completion: Completion): RunNode[] {
    const { node, isElement, outcome } = completion;
    const outputs = 'outputs' in outcome ? outcome.outputs : copyMap({});
    node.isRunning = false;
    this.#record.add(completion);
    for (const edge of node.outgoing) {
      const value = outputs[edge.sourcePort];
      if (value !== undefined && edge.isSpread) {
        const elements = 'A' in value ? value.A : [value];
        this.#tree.countElements(elements.length);
        for (const element of elements) edge.queue.push({ value: element, isElement: true });
      } else if (value !== undefined || isElement || edge.isOptional) {
        // Inside a loop every iteration leaves an entry, so that the ones after it keep their places.
        edge.queue.push({ value, isElement });
      }
    }
    return [node, ...node.outgoing.map((edge) => edge.target)];
  }

  /** Waits for what runs as long as the halt allows, and cancels the rest. */
  async #endUnderWay({ message }: Halt): Promise<void> {
    const { cancel } = this.#tree;
    const wake = () => this.#wake();
    cancel.addEventListener('abort', wake);
    while (this.#underWay.size > 0 && !cancel.aborted) await this.#news();
    cancel.removeEventListener('abort', wake);
    // What hears of its cancellation and ends at once may say so itself.
    await Promise.resolve();
    for (const [node, end] of this.#underWay) {
      this.#underWay.delete(node);
      end(toError(message));
    }
    for (const end of this.#handedBack) end(toError(message));
    this.#completions.splice(0).forEach((completion) => this.#apply(completion));
  }

  /** Nothing more shall be started: a node gave up its time, or the run shall go back and this claim has brought something. */
  #goesBack(): boolean {
    const { handBack, hasProgressed } = this.#tree;
    return this.#handedBack.length > 0 || (handBack.aborted && hasProgressed());
  }

  /** Resolves when something has ended, or the run is halted. */
  #news(): Promise<void> {
    return new Promise((resolve) => this.#wake = resolve);
  }

  /** Waits, and counts the time as none of the slice's computing. */
  async #pause(until: Promise<void>): Promise<void> {
    const { slice } = this.#tree;
    slice.leave();
    await until;
    slice.enter();
  }
}

/**
 * Executes one run to its end, or until it goes back to the queue.
 *
 * Each edge carries a queue of values; a node starts when each of its edges has one, or will never have one and needs none. Nodes
 * that become ready together start in the order of the flow's `nodes`. A failing node fails alone: who needs its outputs
 * does not run, the rest goes on. After a halt no node starts; what runs is told, and recorded if it ends in time.
 * Source: RUNTIME.md, sections 3 and 7.
 */
export const executeRun = (tree: Tree, run: TreeRun): Promise<RunResult | HandBack> =>
  new RunExecution(tree, run).execute();
