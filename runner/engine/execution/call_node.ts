import { codedError } from '../../../types/run_errors.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import { followedBy } from '../../../platform/followed_by.ts';
import type { RunNode } from '../graph/graph.ts';
import { copyMap, type Outcome, type OutputLimits, tooLarge, toOutcome } from '../graph/outcome.ts';
import {
  effectsWith,
  haltError,
  type HandedInstructions,
  type NodeCall,
  NodeError,
  type NodeModule,
  Released,
} from '../node.ts';
import { PartLifecycle } from '../state/part_lifecycle.ts';
import { type Handover, isSubmitted, SIGNATURE } from '../tree/settlement.ts';
import type { Tree } from '../tree/tree.ts';
import type { CallSite, TreeRun } from '../tree/tree_run.ts';
import { AttemptTimeout } from './attempt_timeout.ts';
import { outcomeUnknown } from './earlier_claim.ts';
import { makeNodeCall } from './call_argument.ts';
import type { ExecutionRecord } from './reported_row.ts';

/** A node either ends or hands over instructions. */
export type Given = Outcome | Handover;

/** What an execution gives its calls of the node. */
interface CalledNode {
  inputs: ValueMap;
  inputBytes: number;
  /**
   * The error with which the execution fails. Either the expression of an edge failed, or the run can't take the
   * execution over because its outputs would exceed the budget.
   */
  fault: string | undefined;
  caller: CallSite;
  record: ExecutionRecord;
  log: NodeCall['log'];
  mayBeTriedAgain: () => boolean;
}

/** Tests whether the node collects inputs that are larger than an output may be. */
export const gathersTooMuch = (tree: Tree, { module }: RunNode, inputBytes: number): boolean =>
  module?.collects === true && inputBytes > tree.counters.limits.outputBytes;

/** Tests whether the node has effects outside. If so, the begin of an execution is stored before the node is called. */
export const hasOutsideEffects = ({ module }: RunNode, inputs: ValueMap): boolean =>
  module !== undefined && 'run' in module && effectsWith(module, inputs) !== 'none';

/** Calls a node, once for each attempt of its execution, and makes the outcome. */
export class NodeCaller {
  readonly #tree: Tree;
  readonly #run: TreeRun;
  readonly #node: RunNode;
  readonly #called: CalledNode;

  constructor(tree: Tree, run: TreeRun, node: RunNode, called: CalledNode) {
    this.#tree = tree;
    this.#run = run;
    this.#node = node;
    this.#called = called;
  }

  /** Makes one attempt. */
  attempt(): Given | Promise<Given> {
    const { lifecycle: { halted }, services: { settlement }, counters: { limits } } = this.#tree;
    const { type, nodeId, module, fault } = this.#node;
    const sent = settlement.sentBefore(this.#called.caller.execution);
    if (halted.aborted && !this.#endsCalledRun()) throw sent === undefined ? haltError(halted) : sent.haltError(halted);
    if (sent !== undefined) {
      return { handedOver: this.#called.record.handedOver ?? copyMap({}), instructions: undefined };
    }
    if (module === undefined) {
      const lack = type === 'native'
        ? `there is no node ${nodeId}`
        : type === 'deno' || type === 'WASM' || type === 'mock'
        ? `nodes of type ${type} are not executed`
        : `at the deploy there was no definition of the node ${nodeId} of type ${type}`;
      throw new NodeError(codedError('node_not_implemented', lack));
    }
    if (this.#called.fault !== undefined) throw new NodeError(this.#called.fault);
    if (fault !== undefined) throw new NodeError(fault);
    if (gathersTooMuch(this.#tree, this.#node, this.#called.inputBytes)) {
      throw new NodeError(tooLarge(this.#called.inputBytes, limits.outputBytes));
    }
    if ('buildInstructions' in module) {
      return followedBy(this.#call((call) => module.buildInstructions(call)), (handed) => this.#handOver(handed));
    }
    return hasOutsideEffects(this.#node, this.#called.inputs) ? this.#runOutside(module) : this.#callNode(module);
  }

  /**
   * True if the time of an outer call is over, and an earlier claim began the run that this node called. Then the
   * called run is still executed, so that it can end.
   */
  #endsCalledRun(): boolean {
    const { lifecycle, services: { history } } = this.#tree;
    return lifecycle instanceof PartLifecycle && history.child(this.#called.caller.execution)?.result === null;
  }

  #callNode(module: NodeModule): Given | Promise<Given> {
    return followedBy(
      this.#call((call) => module.run(call)),
      (outputs) => toOutcome(this.#node, this.#called.inputs, outputs, this.#outputLimits()),
    );
  }

  /** Runs a node with effects outside. Stores the begin of the execution first, so that the next claim knows of it. */
  #runOutside(module: NodeModule): Promise<Given> {
    const { services: { journal }, lifecycle: { halted, releasing } } = this.#tree;
    const isRepeatable = effectsWith(module, this.#called.inputs) === 'idempotent';
    if (this.#called.record.wasBegun && !isRepeatable) {
      throw outcomeUnknown(this.#called.mayBeTriedAgain());
    }
    this.#called.record.reportBegin();
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
      : new AttemptTimeout(this.#tree, this.#node, this.#called.inputs, timeoutMs, this.#called.record.attemptBegin);
    const tree = timeout?.tree ?? this.#tree;
    this.#called.caller.lifecycle = tree.lifecycle;
    const call = makeNodeCall(tree, this.#run, this.#node, {
      caller: this.#called.caller,
      inputs: this.#called.inputs,
      startTime: Date.parse(this.#called.record.row.start_time),
      isStored: this.#called.record.isStored,
      wasBegun: this.#called.record.wasBegun,
      log: this.#called.log,
      timeout,
    });
    return timeout === undefined ? run(call) : timeout.limit(() => run(call));
  }

  #handOver({ instructions, outputs }: HandedInstructions): Given {
    const outcome = toOutcome(this.#node, this.#called.inputs, outputs, this.#outputLimits(), SIGNATURE);
    if ('error' in outcome) return outcome;
    // Read first: a wrong value of the input hands nothing over.
    const submits = isSubmitted(this.#called.inputs);
    const handedOver = this.#called.record.handOver(outcome.outputs);
    return { handedOver, instructions: submits ? instructions : undefined };
  }

  #outputLimits(): OutputLimits {
    const { limits, outputs } = this.#tree.counters;
    return {
      maxBytes: limits.outputBytes,
      // If an earlier attempt or claim handed outputs over, they are counted already.
      take: (bytes) => this.#called.record.handedOver === undefined ? outputs.take(bytes) : undefined,
    };
  }
}
