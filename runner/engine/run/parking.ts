import type { ValueMap } from '../../../types/values/value.ts';
import { isInstructionNode, type RunNode } from '../graph/graph.ts';
import type { Outcome } from '../graph/outcome.ts';
import type { Lack } from './readiness.ts';
import type { Again, Handover, Parked } from '../tree/settlement.ts';

/** Keeps the state of each instruction node of one run: parked, in another attempt, or ended. */
export class Parking {
  readonly #runId: string;
  readonly #parked = new Map<RunNode, Parked>();
  /** Nodes whose transaction has failed and whose next attempt has not parked yet. */
  readonly #leaving = new Map<RunNode, Parked>();
  readonly #endings = new Map<RunNode, 'succeeded' | 'failed'>();

  constructor(runId: string) {
    this.#runId = runId;
  }

  get parked(): ReadonlyMap<RunNode, Parked> {
    return this.#parked;
  }

  /**
   * The end of each instruction node's latest execution. If a node did not run because of a failure, it counts as
   * failed. If it did not run for another reason, it counts as succeeded.
   */
  get endings(): ReadonlyMap<RunNode, 'succeeded' | 'failed'> {
    return this.#endings;
  }

  /**
   * Parks an execution. Returns false if the execution was parked in an earlier attempt. Then the next nodes already
   * have its outputs.
   */
  park(node: RunNode, times: number, handover: Handover, again: Again | undefined): boolean {
    const execution = { flow_run_id: this.#runId, node_id: node.id, times };
    this.#parked.set(node, { ...handover, node, execution, again });
    return !this.#leaving.delete(node);
  }

  /** Records that another attempt of a parked execution begins. */
  leave(parked: Parked): void {
    this.#parked.delete(parked.node);
    this.#leaving.set(parked.node, parked);
  }

  /** Returns the outputs that a node's execution under way has handed over. */
  handedOver(node: RunNode): ValueMap | undefined {
    return (this.#parked.get(node) ?? this.#leaving.get(node))?.handedOver;
  }

  /** Records that an execution has ended. Returns true if it was ever parked. */
  end(node: RunNode, outcome: Outcome): boolean {
    if (isInstructionNode(node)) this.#endings.set(node, 'error' in outcome ? 'failed' : 'succeeded');
    const wasLeaving = this.#leaving.delete(node);
    return this.#parked.delete(node) || wasLeaving;
  }

  /**
   * Records that a node does not run at all, or not for one element of a loop. If a failure is the reason, the node
   * counts as failed. Otherwise the transaction is made without the node.
   */
  leaveOut(node: RunNode, reason: Lack): void {
    if (isInstructionNode(node)) this.#endings.set(node, reason === 'failed' ? 'failed' : 'succeeded');
  }
}
