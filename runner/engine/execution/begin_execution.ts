import { codedError } from '../../../types/run_errors.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { readFieldOr, toBoolean } from '../../../types/values/conversion.ts';
import { AttemptTimeout } from './attempt_timeout.ts';
import { Attempts } from './attempts.ts';
import type { Tree } from '../tree/tree.ts';
import type { EarlierRunsOf } from '../state/earlier_positions.ts';
import type { RunNode } from '../graph/graph.ts';
import type { StoredNodeRun } from '../state/journal.ts';
import { LogBuffer } from '../log/log_buffer.ts';
import {
  type Effect,
  effectsWith,
  haltError,
  type HandedInstructions,
  type LogLevel,
  type NodeCall,
  NodeError,
  type NodeModule,
  Released,
} from '../node.ts';
import { emptyInputsHint } from './empty_inputs.ts';
import {
  copyMap,
  type Failure,
  type Outcome,
  type OutputLimits,
  toError,
  tooLarge,
  toOutcome,
} from '../graph/outcome.ts';
import { makeNodeCall } from './node_call.ts';
import { bufferUntil, type HeldLog, logLine } from '../log/run_log.ts';
import { hasEndedBefore, outcomeUnknown, takeOutcome } from './earlier_claim.ts';
import { followedBy } from '../../../platform/followed_by.ts';
import { handleFailure } from './error_output.ts';
import { ExecutionRecord } from './reported_row.ts';
import { type Again, type Handover, SIGNATURE, SUBMIT } from '../tree/settlement.ts';
import type { Execution } from './execution.ts';
import { pinnedExecution } from './pinned_outputs.ts';
import { PartLifecycle } from '../state/part_lifecycle.ts';
import type { CallSite, TreeRun } from '../tree/tree_run.ts';
import { heldByMap, measureMap } from '../limits/value_size.ts';

/**
 * The facts that are known about an execution before it begins. They come from the rows of earlier claims and of
 * earlier runs.
 */
export interface KnownExecution {
  /** The row that an earlier claim stored for the execution. */
  stored: StoredNodeRun | undefined;
  /** The execution at the same position in a run from which this run was redriven. */
  takenOver: StoredNodeRun | undefined;
  /** The runs that the execution called in the earlier runs of a redrive. */
  calledRuns: EarlierRunsOf | undefined;
  /** The error of an edge's expression, with which the execution fails. */
  fault: string | undefined;
}

/** A node either ends or hands over instructions. */
type Given = Outcome | Handover;

/** An execution whose node is called, because no earlier claim has ended it and no redrive takes it over. */
class NodeExecution {
  readonly #tree: Tree;
  readonly #run: TreeRun;
  readonly #node: RunNode;
  readonly #inputs: ValueMap;
  readonly #inputBytes: number;
  /**
   * The error with which the execution fails. Either the expression of an edge failed, or the run can't take the
   * execution over because its outputs would exceed the budget.
   */
  readonly #fault: string | undefined;
  readonly #caller: CallSite;
  readonly #record: ExecutionRecord;
  readonly #log: HeldLog;
  /** Undefined if the node is tried only once. */
  readonly #attempts: Attempts | undefined;

  constructor(
    tree: Tree,
    run: TreeRun,
    node: RunNode,
    times: number,
    inputs: ValueMap,
    { stored, calledRuns }: KnownExecution,
    fault: string | undefined,
  ) {
    this.#tree = tree;
    this.#run = run;
    this.#node = node;
    this.#inputs = inputs;
    this.#inputBytes = measureMap(inputs);
    this.#fault = fault;
    const execution: Effect = { flow_run_id: run.id, node_id: node.id, times };
    this.#caller = { execution, node, run, lifecycle: tree.lifecycle, earlierRuns: calledRuns };
    tree.counters.countBytes(this.#inputBytes);
    this.#record = new ExecutionRecord(tree, execution, this.#gathersTooMuch() ? {} : inputs, stored);
    const log = (level: LogLevel, content: string) => logLine(tree, run, level, content, { node, times });
    this.#log = bufferUntil(log, new LogBuffer(run.graph.environment, tree.counters.limits));
    this.#attempts = node.retry && new Attempts(tree, run, this.#record.row, node.retry, log);
  }

  begin(): Execution {
    const { lifecycle } = this.#tree;
    const ends = {
      record: (outcome: Outcome) => this.#end(outcome),
      handle: (failure: Failure) => handleFailure(this.#node, lifecycle, this.#record.row.attempt, failure),
    };
    try {
      const outcome = this.#firstAttempt();
      this.#log.open();
      const again = this.#again();
      if (!(outcome instanceof Promise)) return { outcome, ...ends, again };
      if (!this.#hasOutsideEffects()) this.#record.reportBegin();
      return { outcome: outcome.catch((error) => this.#failed(error)), ...ends, again };
    } catch (error) {
      if (error instanceof Released) {
        this.#record.reportBegin();
        return { outcome: Promise.reject(error), ...ends };
      }
      this.#log.open();
      return { outcome: this.#failed(error), ...ends };
    }
  }

  #firstAttempt(): Given | Promise<Given> {
    const { retryAt } = this.#record;
    return retryAt !== null && this.#attempts !== undefined
      ? this.#attempts.resume(retryAt).then(() => this.#attempt())
      : this.#attempt();
  }

  /** Makes an attempt. If it fails, makes the further attempts that the flow allows. */
  #attempt(): Given | Promise<Given> {
    if (this.#attempts === undefined) return this.#compute();
    const followFailure = (error: unknown) => this.#followFailure(error);
    try {
      const given = this.#compute();
      return given instanceof Promise ? given.catch(followFailure) : given;
    } catch (error) {
      return followFailure(error);
    }
  }

  #followFailure(error: unknown): Promise<Given> {
    if (!this.#attempts?.mayFollow(error)) throw error;
    return this.#attempts.next(error).then(() => this.#attempt());
  }

  #again(): Again | undefined {
    const attempts = this.#attempts;
    return attempts && {
      isPossible: () => !attempts.isLast,
      after: (failure) => attempts.next(failure).then(() => this.#attempt()).catch((error) => this.#failed(error)),
    };
  }

  #compute(): Given | Promise<Given> {
    const { lifecycle: { halted }, services: { settlement }, counters: { limits } } = this.#tree;
    const { type, nodeId, module, fault } = this.#node;
    const sent = settlement.sentBefore(this.#caller.execution);
    if (halted.aborted && !this.#endsCalledRun()) throw sent === undefined ? haltError(halted) : sent.haltError(halted);
    if (sent !== undefined) return { handedOver: this.#record.handedOver ?? copyMap({}), instructions: undefined };
    if (module === undefined) {
      const lack = type === 'native' ? `there is no node ${nodeId}` : `nodes of type ${type} are not executed`;
      throw new NodeError(codedError('node_not_implemented', lack));
    }
    if (this.#fault !== undefined) throw new NodeError(this.#fault);
    if (fault !== undefined) throw new NodeError(fault);
    if (this.#gathersTooMuch()) throw new NodeError(tooLarge(this.#inputBytes, limits.outputBytes));
    if ('buildInstructions' in module) {
      return followedBy(this.#call((call) => module.buildInstructions(call)), (handed) => this.#handOver(handed));
    }
    return this.#hasOutsideEffects() ? this.#runOutside(module) : this.#callNode(module);
  }

  /**
   * True if the time of an outer call is over, and an earlier claim began the run that this node called. Then the
   * called run is still executed, so that it can end.
   */
  #endsCalledRun(): boolean {
    const { lifecycle, services: { history } } = this.#tree;
    return lifecycle instanceof PartLifecycle && history.child(this.#caller.execution)?.result === null;
  }

  #callNode(module: NodeModule): Given | Promise<Given> {
    return followedBy(
      this.#call((call) => module.run(call)),
      (outputs) => toOutcome(this.#node, this.#inputs, outputs, this.#outputLimits()),
    );
  }

  /** Runs a node with effects outside. Stores the begin of the execution first, so that the next claim knows of it. */
  #runOutside(module: NodeModule): Promise<Given> {
    const { services: { journal }, lifecycle: { halted, releasing } } = this.#tree;
    const isRepeatable = effectsWith(module, this.#inputs) === 'idempotent';
    if (this.#record.wasBegun && !isRepeatable) {
      throw outcomeUnknown(this.#attempts !== undefined && !this.#attempts.isLast);
    }
    this.#record.reportBegin();
    return journal.flush().then(() => {
      if (halted.aborted) throw haltError(halted);
      // The begin is stored, so the next claim would not run a node that can't be repeated. Such a node runs now.
      if (releasing.aborted && isRepeatable) throw new Released();
      return this.#callNode(module);
    }, () => {
      // The begin can't be stored, so the node must not run. The run is released, and the claim logs the reason.
      throw new Released();
    });
  }

  /** Calls the node, and limits the time of the attempt. */
  #call<T>(run: (call: NodeCall) => T | Promise<T>): T | Promise<T> {
    const { timeoutMs } = this.#node;
    const timeout = timeoutMs === undefined
      ? undefined
      : new AttemptTimeout(this.#tree, this.#node, this.#inputs, timeoutMs, this.#record.attemptBegin);
    const tree = timeout?.tree ?? this.#tree;
    this.#caller.lifecycle = tree.lifecycle;
    const call = makeNodeCall(tree, this.#run, this.#node, {
      caller: this.#caller,
      inputs: this.#inputs,
      startTime: Date.parse(this.#record.row.start_time),
      isStored: this.#record.isStored,
      wasBegun: this.#record.wasBegun,
      log: this.#log.write,
      timeout,
    });
    return timeout === undefined ? run(call) : timeout.limit(() => run(call));
  }

  #handOver({ instructions, outputs }: HandedInstructions): Given {
    const outcome = toOutcome(this.#node, this.#inputs, outputs, this.#outputLimits(), SIGNATURE);
    if ('error' in outcome) return outcome;
    const isSubmitted = readFieldOr(this.#inputs, SUBMIT, true, toBoolean);
    const handedOver = this.#record.handOver(outcome.outputs);
    return { handedOver, instructions: isSubmitted ? instructions : undefined };
  }

  #failed(error: unknown): Given {
    if (error instanceof Released) throw error;
    const hint = emptyInputsHint(this.#run, this.#node, this.#inputs, error);
    return { ...toError(error, hint), handedOver: this.#record.handedOver };
  }

  #end(outcome: Outcome): void {
    this.#caller.atEnd?.();
    if ('error' in outcome) this.#attempts?.logFailure(outcome.error);
    this.#record.end(outcome);
  }

  /**
   * True if the node has effects outside. If so, the begin of the execution must be stored before the node is called.
   */
  #hasOutsideEffects(): boolean {
    const { module } = this.#node;
    return module !== undefined && 'run' in module && effectsWith(module, this.#inputs) !== 'none';
  }

  #gathersTooMuch(): boolean {
    return this.#node.module?.collects === true && this.#inputBytes > this.#tree.counters.limits.outputBytes;
  }

  #outputLimits(): OutputLimits {
    const { limits, outputs } = this.#tree.counters;
    return {
      maxBytes: limits.outputBytes,
      // If an earlier attempt or claim handed outputs over, they are counted already.
      take: (bytes) => this.#record.handedOver === undefined ? outputs.take(bytes) : undefined,
    };
  }
}

/**
 * Begins one execution of a node. If an earlier claim has stored a row for the execution, `earlier_claim.ts` describes
 * what follows.
 */
export function beginExecution(
  tree: Tree,
  run: TreeRun,
  node: RunNode,
  times: number,
  inputs: ValueMap,
  known: KnownExecution,
): Execution {
  const { stored, takenOver } = known;
  const asStored = { record: () => {}, handle: (failure: Failure) => failure };
  if (hasEndedBefore(stored)) return { outcome: takeOutcome(tree, stored, inputs), ...asStored };
  const tooMuch = takenOver && tree.counters.outputs.take(heldByMap(takenOver.output?.M ?? {}));
  if (takenOver !== undefined && tooMuch === undefined) {
    tree.services.journal.nodeTakenOver({ flow_run_id: run.id, node_id: node.id, times }, takenOver);
    return { outcome: takeOutcome(tree, takenOver, inputs), ...asStored };
  }
  const fault = tooMuch ?? known.fault;
  const pinned = run.pins?.[node.id];
  if (pinned !== undefined && fault === undefined) return pinnedExecution(tree, run, { node, times, inputs, pinned });
  return new NodeExecution(tree, run, node, times, inputs, known, fault).begin();
}
