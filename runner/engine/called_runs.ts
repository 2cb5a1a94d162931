import { uuidv7 } from 'uuidv7';
import { codedError } from '../../types/run_errors.ts';
import type { ValueMap } from '../../types/values/value.ts';
import type { FlowCalls, Tree } from './tree/tree.ts';
import { executeRun } from './run/execute_run.ts';
import type { RunResult } from './state/journal.ts';
import { haltError, NodeError, Released, type StepPlan } from './node.ts';
import type { CallSite, TreeRun } from './tree/tree_run.ts';

/** The end of a called flow. */
interface CalledEnd {
  result: RunResult;
  /** The instructions of the called flow. Set if the flow was called for its instructions and has made some. */
  collected?: unknown;
}

/** What a node executes as a run of its own: a flow of the snapshot, or the steps of a plan. */
type Called = Pick<TreeRun, 'graph' | 'flow' | 'flowId' | 'plan'>;

function outputsOf(result: RunResult): ValueMap {
  if (result.status === 'succeeded') return result.output.M;
  throw new NodeError(result.errors?.join(';\n') ?? 'the called flow was stopped');
}

/** Executes the runs that nodes of a tree call. */
export class CalledRuns implements FlowCalls {
  readonly #tree: Tree;
  /** The calls under way, each with the calling run. */
  readonly #underWay = new Map<Promise<unknown>, TreeRun>();
  /** The number of nodes in the flows that are being executed. */
  #openNodes: number;
  /**
   * Resolves when the latest called flow begins. The next called flow waits for this promise, so that called flows
   * begin one after another.
   */
  #turn: Promise<void> = Promise.resolve();

  constructor(tree: Tree) {
    this.#tree = tree;
    this.#openNodes = tree.flows.snapshot.entry.nodes.length;
  }

  async call(caller: CallSite, flowId: number, inputs: ValueMap): Promise<ValueMap> {
    return outputsOf((await this.#start(caller, this.#flow(flowId), inputs, false)).result);
  }

  async runSteps(caller: CallSite, plan: StepPlan, inputs: ValueMap): Promise<ValueMap> {
    const { graph, flow, flowId } = caller.run;
    const steps = { graph: { ...graph, nodes: [], edges: [] }, flow, flowId, plan };
    const { result } = await this.#start(caller, steps, inputs, false);
    // A stopped run of steps has the outputs that its plan had at the stop.
    return result.status === 'stopped' ? result.output.M : outputsOf(result);
  }

  async collectInstructions(caller: CallSite, flowId: number, inputs: ValueMap): Promise<unknown> {
    const { result, collected } = await this.#start(caller, this.#flow(flowId), inputs, true);
    if (collected !== undefined) return collected;
    outputsOf(result);
    throw new NodeError('the flow ended without making instructions');
  }

  /**
   * Resolves when all called runs have ended or are released. After a halt, calling nodes do not wait for the runs that
   * they called, so the tree waits for these runs here.
   */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay.keys());
  }

  #calledBy(run: TreeRun): Promise<unknown>[] {
    return [...this.#underWay].flatMap(([called, by]) => by === run ? [called] : []);
  }

  #flow(flowId: number): Called {
    const { flows } = this.#tree.flows.snapshot;
    const graph = Object.hasOwn(flows, flowId) ? flows[flowId] : undefined;
    if (graph === undefined) throw new NodeError(`the snapshot of the run has no flow ${flowId}`);
    return { graph, flow: String(flowId), flowId };
  }

  #start(caller: CallSite, what: Called, inputs: ValueMap, isCollected: boolean): Promise<CalledEnd> {
    const called = this.#begin(caller, what, inputs, isCollected);
    this.#underWay.set(called, caller.run);
    const remove = () => this.#underWay.delete(called);
    void called.then(remove, remove);
    return called;
  }

  async #begin(caller: CallSite, called: Called, inputs: ValueMap, isCollected: boolean): Promise<CalledEnd> {
    const { services: { history, journal, slice }, counters: { limits }, run } = this.#tree;
    if (caller.run.depth >= limits.interflowDepth) {
      throw new NodeError(`recursive depth reached: calls of flows may be nested ${limits.interflowDepth} deep`);
    }
    // Called flows begin one after another, because making a graph takes time and thousands of nodes may call flows at
    // once. The wait also gives each nested call a new stack. Otherwise calls that are nested a thousand levels deep
    // could overflow it.
    await (this.#turn = this.#turn.then(() => slice.needsBreath() ? slice.breathe(run.ownerId) : undefined));
    const known = history.child(caller.execution);
    if (known?.result != null) {
      // The called run is not executed in this claim, so nobody looks whether it has all effects of the earlier runs.
      if (caller.earlierRuns !== undefined && known.result.status !== 'succeeded') journal.leftIncomplete();
      return { result: known.result };
    }
    // If `isLate`, the time of the call is over. If an earlier claim began the called run, the run is still executed,
    // so that it can end.
    const isLate = caller.lifecycle !== this.#tree.lifecycle && caller.lifecycle.halted.aborted;
    if (known === undefined && isLate) throw haltError(caller.lifecycle.halted);
    // A called run that an earlier claim began was within the limit then. It is not checked again, because in this
    // claim the runs may begin in another order and exceed the limit.
    if (known === undefined) this.#checkOpenNodes(called.graph.nodes.length);
    return await this.#execute(caller, {
      ...called,
      id: known?.id ?? this.#reportBegin(caller, called.flowId, inputs),
      inputs,
      depth: caller.run.depth + 1,
      isNew: known === undefined,
      caller,
      earlierRuns: caller.earlierRuns,
      callsUnderWay: 0,
      isCollected,
    });
  }

  #checkOpenNodes(added: number): void {
    const { openNodes } = this.#tree.counters.limits;
    if (this.#openNodes + added <= openNodes) return;
    throw new NodeError(
      codedError(
        'open_nodes_limit',
        `the flows that are executed at the same time would have more than ${openNodes} nodes`,
      ),
    );
  }

  /** Reports the begin of a new run, and returns its id. */
  #reportBegin({ execution }: CallSite, flowId: number, inputs: ValueMap): string {
    const id = uuidv7();
    this.#tree.services.journal.runBegan({
      id,
      flow_id: flowId,
      inputs: { M: inputs },
      parent_flow_run_id: execution.flow_run_id,
      parent_node_id: execution.node_id,
      parent_times: execution.times,
    });
    return id;
  }

  /** Executes a called run. Meanwhile its caller rests. */
  async #execute(caller: CallSite, run: TreeRun): Promise<CalledEnd> {
    const { standstill } = this.#tree;
    const nodes = run.graph.nodes.length;
    this.#openNodes += nodes;
    // The `finally` block removes the called run and decrements this count without a pause between the two. During a
    // pause, the tree would seem to be unable to continue.
    caller.run.callsUnderWay += 1;
    try {
      return await this.#executeToEnd(caller, run);
    } finally {
      standstill.remove(run);
      this.#openNodes -= nodes;
      caller.run.callsUnderWay -= 1;
    }
  }

  async #executeToEnd(caller: CallSite, run: TreeRun): Promise<CalledEnd> {
    const { services: { journal }, standstill } = this.#tree;
    // The run executes without a pause up to its first await, so that its warnings are stored together with its begin.
    const result = await executeRun({ ...this.#tree, lifecycle: caller.lifecycle }, run);
    // A call with a time limit ends only after all runs that it called directly or indirectly. Without a time limit,
    // such runs end with the root.
    if (caller.lifecycle !== this.#tree.lifecycle) await Promise.allSettled(this.#calledBy(run));
    if (result.status === 'released') throw new Released();
    const collected = standstill.collectedFrom(run);
    // Only the caller's outputs hold the collected instructions. So the run's end is stored together with the caller's
    // end.
    if (collected === undefined) journal.runEnded(run.id, result);
    else caller.atEnd = () => journal.runEnded(run.id, result);
    // If the tree's transaction is the output of the tree, the whole tree ends, and the caller stops here.
    if (standstill.putOut !== undefined) throw new Released();
    return { result, collected };
  }
}
