import { makeNode, type RunNode } from '../graph/graph.ts';
import { beginExecution } from '../execution/begin_execution.ts';
import { hasEndedBefore } from '../execution/earlier_claim.ts';
import { errorCode } from '../../../types/run_errors.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { copyMap, toError } from '../graph/outcome.ts';
import type { ChosenStep, Halt, StepEnd, StepPlan } from '../node.ts';
import { EarlierSteps } from '../redrive/earlier_steps.ts';
import type { RunResult } from '../state/journal.ts';
import type { Tree } from '../tree/tree.ts';
import type { TreeRun } from '../tree/tree_run.ts';
import type { Course } from './course.ts';
import { type Completion, RunRecord } from './run_record.ts';
import { stepNodeId } from './step_node_id.ts';
import type { BegunExecutions } from './under_way.ts';

/**
 * The course of a run of steps: one execution at a time, chosen by a plan. It ends in one of these ways:
 *
 * - The plan returns: the run succeeds with its outputs.
 * - The plan throws, or a step fails that may not: the run fails.
 * - The run is halted: it gets the outputs that the plan has so far. If only the time of the call is over, it succeeds.
 */
export class StepCourse implements Course {
  readonly nodes: RunNode[] = [];
  readonly warnings = [];
  readonly endsAtOnce = true;
  readonly #tree: Tree;
  readonly #run: TreeRun;
  readonly #plan: StepPlan;
  readonly #begun: BegunExecutions;
  readonly #record = new RunRecord();
  /** Undefined if the run continues no earlier one. */
  readonly #earlier: EarlierSteps | undefined;
  readonly #byName = new Map<string, RunNode>();
  /** The step that waits to start or is under way. */
  #step: ChosenStep | undefined;
  #isUnderWay = false;
  /** True if no further step follows. */
  #isOver = false;
  /** The end of the latest step, which the plan has not got yet. */
  #end: StepEnd | undefined;
  #outputs: ValueMap | undefined;
  #fault: string | undefined;

  constructor(tree: Tree, run: TreeRun, plan: StepPlan, begun: BegunExecutions) {
    const { caller, earlierRuns } = run;
    this.#tree = tree;
    this.#run = run;
    this.#plan = plan;
    this.#begun = begun;
    if (caller !== undefined && earlierRuns !== undefined) {
      const nodeIds = new Set(plan.stepNames.map((name) => stepNodeId(caller.node.id, name)));
      this.#earlier = new EarlierSteps(tree, caller, earlierRuns, nodeIds);
    }
  }

  startReady(): Promise<void> {
    if (!this.#isUnderWay && !this.#isOver) {
      this.#step ??= this.#nextStep();
      if (this.#step !== undefined) this.#start(this.#step);
    }
    return Promise.resolve();
  }

  apply(completions: readonly Completion[]): void {
    for (const completion of completions) {
      const { outcome } = completion;
      this.#record.add(completion);
      this.#step = undefined;
      this.#isUnderWay = false;
      if (!('error' in outcome)) this.#end = { outputs: outcome.outputs };
      else if (outcome.errorOutput !== undefined) this.#end = { error: outcome.error };
      else this.#isOver = true;
    }
  }

  hasAllEffects(): boolean {
    return this.#earlier === undefined || (this.#earlier.areAllContinued && this.#outputs !== undefined);
  }

  result(halt: Halt | undefined): RunResult {
    const ended = { errors: null, not_run: [] };
    if (this.#outputs !== undefined) return { status: 'succeeded', output: { M: this.#outputs }, ...ended };
    if (halt !== undefined) {
      const output = { M: copyMap(this.#plan.outputsOfHalt(halt)) };
      if (errorCode(halt.message) === 'node_timeout') return { status: 'succeeded', output, ...ended };
      return { ...this.#record.result([], halt), output };
    }
    if (this.#fault === undefined) return this.#record.result([], undefined);
    return { status: 'failed', output: { M: copyMap({}) }, errors: [this.#fault], not_run: [] };
  }

  /** Gives the plan the end of the latest step. Returns the next step; undefined if the plan is over. */
  #nextStep(): ChosenStep | undefined {
    const end = this.#end;
    this.#end = undefined;
    try {
      // SAFETY: a generator ignores the argument of the first call.
      const { done, value } = this.#plan.steps.next(end as StepEnd);
      if (!done) return value;
      this.#outputs = copyMap(value);
    } catch (error) {
      this.#fault = toError(error).error;
    }
    this.#isOver = true;
    return undefined;
  }

  /**
   * Starts a step, unless the tree has reached its limit of executions. After a halt, a step starts only if its
   * execution is on record.
   */
  #start(step: ChosenStep): void {
    const { lifecycle: { halted }, counters, services: { history, journal } } = this.#tree;
    const node = this.#nodeOf(step);
    const stored = history.nodeRun({ flow_run_id: this.#run.id, node_id: node.id, times: node.times });
    const continued = this.#earlier?.next(node);
    const takenOver = stored === undefined ? continued?.takenOver : undefined;
    const onRecord = stored ?? takenOver;
    if (halted.aborted ? onRecord === undefined : !counters.countExecution(onRecord)) return;
    const times = node.times++;
    node.hasStarted = true;
    this.#isUnderWay = true;
    const calledRuns = continued?.calledRuns;
    if (calledRuns !== undefined && hasEndedBefore(stored) && stored.errors !== null) journal.leftIncomplete();
    const fault = stored === undefined ? continued?.fault : undefined;
    const { outcome, record, handle, again } = beginExecution(
      this.#tree,
      this.#run,
      node,
      times,
      copyMap(step.inputs),
      { stored, takenOver, calledRuns, fault },
    );
    this.#begun.add({ node, times, isElement: false, record, handle, again }, outcome);
  }

  #nodeOf(step: ChosenStep): RunNode {
    const known = this.#byName.get(step.name);
    if (known !== undefined) {
      known.module = step.module;
      return known;
    }
    const { caller } = this.#run;
    const id = stepNodeId(caller?.node.id ?? this.#run.id, step.name);
    const data = {
      type: 'native' as const,
      node_id: caller?.node.nodeId ?? '',
      display_name: step.title,
      sources: [],
      targets: [],
      targets_form: { form_data: step.formData },
    };
    const node = makeNode({ id, data }, this.nodes.length, () => step.module);
    node.retry = caller?.node.retry;
    node.timeoutMs = undefined;
    node.hasErrorOutput = step.mayFail;
    this.nodes.push(node);
    this.#byName.set(step.name, node);
    return node;
  }
}
