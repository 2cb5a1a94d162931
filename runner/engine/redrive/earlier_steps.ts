import { codedError } from '../../../types/run_errors.ts';
import { greatestEffects, type RunNode } from '../graph/graph.ts';
import type { EarlierRunsOf } from '../state/earlier_positions.ts';
import { isDone, type SnapshotChanges, type StoredNodeRun } from '../state/journal.ts';
import type { Tree } from '../tree/tree.ts';
import type { CallSite } from '../tree/tree_run.ts';

/** What the earlier runs tell about a step that is about to begin. */
interface ContinuedStep {
  /** The execution to take over; undefined if the step has to run. */
  takenOver: StoredNodeRun | undefined;
  /** The runs that the step called, one for each earlier run; undefined if it called none at all. */
  calledRuns: EarlierRunsOf | undefined;
  /** The error with which the step fails, because it may repeat an effect. */
  fault: string | undefined;
}

const hasChanged = (changes: SnapshotChanges, { node, run }: CallSite): boolean => {
  const ofFlow = changes[run.flow];
  return ofFlow === undefined || Object.hasOwn(ofFlow.nodes, node.id) || ofFlow.calls.includes(node.id);
};

/**
 * Selects the executions that a redriven run of steps takes over. An earlier run with the same inputs, called by the
 * same node, had the same steps up to its failure, so steps are found by their numbers. Any other earlier run may have
 * had other steps: none of them is taken over, and what they did outside must not be done again.
 */
export class EarlierSteps {
  readonly #tree: Tree;
  readonly #caller: CallSite;
  /** The ids of the runs that are continued, the newest first. Undefined for the others. */
  readonly #continued: readonly (string | undefined)[];
  readonly #others: readonly string[];
  /** The ids that the nodes of the plan may have. */
  readonly #nodeIds: ReadonlySet<string>;

  constructor(tree: Tree, caller: CallSite, runs: EarlierRunsOf, nodeIds: ReadonlySet<string>) {
    const { changes } = tree.services.history.earlierRuns;
    const isContinued = (run: EarlierRunsOf[number], layer: number) => {
      const since = changes[layer];
      return run?.hasSameInputs === true && (since === undefined || !hasChanged(since, caller));
    };
    this.#tree = tree;
    this.#caller = caller;
    this.#nodeIds = nodeIds;
    this.#continued = runs.map((run, layer) => isContinued(run, layer) ? run?.id : undefined);
    this.#others = runs.flatMap((run, layer) => run === undefined || isContinued(run, layer) ? [] : [run.id]);
  }

  /** True if all steps of the earlier runs are steps of this run, too, if this run goes through its whole plan. */
  get areAllContinued(): boolean {
    return this.#others.length === 0;
  }

  /** Looks at the next step of a node. */
  next(node: RunNode): ContinuedStep {
    const { earlierRuns } = this.#tree.services.history;
    // The newest of the earlier runs that have the execution decides. If it failed there, the step runs again.
    const found =
      this.#continued.flatMap((id) =>
        id === undefined ? [] : earlierRuns.executions(id, node.id).get(node.times) ?? []
      )[0];
    const called = this.#continued.map((flow_run_id) => {
      if (flow_run_id === undefined) return undefined;
      const id = earlierRuns.calledRun({ flow_run_id, node_id: node.id, times: node.times });
      return id === undefined ? undefined : { id, hasSameInputs: true };
    });
    return {
      takenOver: found !== undefined && isDone(found) ? found : undefined,
      calledRuns: called.some((run) => run !== undefined) ? called : undefined,
      fault: this.#mayHaveActed(node)
        ? codedError('effect_already_done', 'the step may have acted in an earlier run with other inputs or settings')
        : undefined,
    };
  }

  /**
   * Tests whether the node has effects `once` outside, and was called in a run that is not continued. A node that the
   * plan has no more may have been this one under another name.
   */
  #mayHaveActed(node: RunNode): boolean {
    const { flows: { effectsOfCalledFlow }, services: { history: { earlierRuns } } } = this.#tree;
    // A question may be asked again.
    if (this.#others.length === 0 || node.module?.asksForInput) return false;
    if (earlierRuns.repeatEffects.has(`${this.#caller.run.flow}/${this.#caller.node.id}`)) return false;
    return greatestEffects(node, effectsOfCalledFlow) === 'once' &&
      this.#others.some((id) =>
        [...earlierRuns.nodesOf(id)].some((nodeId) => nodeId === node.id || !this.#nodeIds.has(nodeId))
      );
  }
}
