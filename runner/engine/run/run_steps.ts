import type { Tree } from '../tree/tree.ts';
import type { BegunExecutions } from './under_way.ts';
import { hasEndedBefore } from '../execution/earlier_claim.ts';
import { feedNext } from './feed_next.ts';
import type { RunNode } from '../graph/graph.ts';
import { handOn, lackOf } from './hand_on.ts';
import { beginExecution } from '../execution/begin_execution.ts';
import { completeInputs, copyMap } from '../graph/outcome.ts';
import { type Lack, lookAt, remove } from './readiness.ts';
import type { TakeOver } from '../redrive/take_over.ts';
import type { Completion, RunRecord } from './run_record.ts';
import type { TreeRun } from '../tree/tree_run.ts';

/** The steps by which a run goes through its graph: a node starts, is skipped or is fed, and its outputs go on. */
export class RunSteps {
  readonly #tree: Tree;
  readonly #run: TreeRun;
  readonly #record: RunRecord;
  readonly #begun: BegunExecutions;
  /** Set only in a redrive. */
  readonly #takeOver: TakeOver | undefined;

  constructor(tree: Tree, run: TreeRun, record: RunRecord, begun: BegunExecutions, takeOver: TakeOver | undefined) {
    this.#tree = tree;
    this.#run = run;
    this.#record = record;
    this.#begun = begun;
    this.#takeOver = takeOver;
  }

  /**
   * If the tree has not reached its limit of executions, starts a node. After a halt, a node starts only if its
   * execution has a stored row, because the run's outputs are made from stored executions. If an earlier claim only
   * began the execution, it is then cancelled.
   */
  start(node: RunNode): void {
    const { lifecycle: { halted }, counters, services: { history, journal } } = this.#tree;
    const stored = history.nodeRun({ flow_run_id: this.#run.id, node_id: node.id, times: node.times });
    const { values, isElement, fault } = lookAt(node);
    const inputs = completeInputs(node, values, this.#run.inputs);
    const continued = this.#takeOver?.next(node, fault === undefined ? inputs : undefined);
    const takenOver = stored === undefined ? continued?.takenOver : undefined;
    const onRecord = stored ?? takenOver;
    if (halted.aborted ? onRecord === undefined : !counters.countExecution(onRecord)) return;
    remove(node);
    const times = node.times++;
    node.hasStarted = true;
    node.isRunning = true;
    const { positions, calledRuns } = continued ?? {};
    // The call failed in an earlier claim. Nobody looks whether the called run had all effects of the earlier runs.
    if (calledRuns !== undefined && hasEndedBefore(stored) && stored.errors !== null) journal.leftIncomplete();
    const known = {
      stored,
      takenOver,
      calledRuns,
      fault: fault ?? (stored === undefined ? continued?.fault : undefined),
    };
    const { outcome, record, handle, again } = beginExecution(this.#tree, this.#run, node, times, inputs, known);
    this.#begun.add({ node, times, isElement, positions, record, handle, again }, outcome);
  }

  /**
   * Skips an element of a loop. Either the node lacks a value that it needs, or the node's instructions must not be
   * submitted.
   */
  skip(node: RunNode, skipped: Lack): void {
    this.#begun.parking.leaveOut(node, skipped);
    const positions = this.#takeOver?.positionsOfNext(node);
    const { isElement } = lookAt(node);
    remove(node);
    const times = node.times++;
    node.isRunning = true;
    const outcome = { outputs: copyMap({}) };
    this.#begun.skip({ node, times, isElement, positions, outcome, skipped, part: 'all' });
  }

  /** Puts outputs into the queues of the next nodes. Returns the nodes that may be ready now. */
  apply(completion: Completion): RunNode[] {
    const { node, part } = completion;
    if (part !== 'handed_over') {
      node.isRunning = false;
      node.absence = lackOf(completion);
      // The outputs and handled errors of fed nodes (feed.ts) belong to another run, so they are not recorded here.
      if (node.feed === undefined || 'error' in completion.outcome) this.#record.add(completion);
      if ('outputs' in completion.outcome) this.#takeOver?.succeeded(node, completion.times);
    }
    handOn(completion, {
      takeOver: this.#takeOver,
      countElements: (count) => this.#tree.counters.countElements(count),
    });
    return [node, ...node.outgoing.map((edge) => edge.target)];
  }

  /** Completes the next execution of a fed node. */
  feed(node: RunNode): void {
    feedNext(this.#tree, this.#begun, node, this.#takeOver);
  }

  /** True if this run has had all effects of the runs from which it was redriven. */
  hasAllEffects(nodes: readonly RunNode[]): boolean {
    return this.#takeOver?.hasAllEffects(nodes) !== false;
  }
}
