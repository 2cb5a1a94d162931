import type { ValueMap } from '../../types/values/value.ts';
import { isInstructionNode, type RunNode } from './graph.ts';
import type { Outcome } from './node_values.ts';
import type { Lack } from './readiness.ts';
import type { Again, Handover, Parked } from './settlement.ts';

/** The state of the instruction nodes of one run: parked, about to be parked again, or ended. */
export class Parking {
  readonly #runId: string;
  readonly #parked = new Map<RunNode, Parked>();
  /** Nodes whose transaction has failed; the next attempt parks them again. */
  readonly #leaving = new Map<RunNode, Parked>();
  readonly #endings = new Map<RunNode, 'succeeded' | 'failed'>();

  constructor(runId: string) {
    this.#runId = runId;
  }

  get parked(): ReadonlyMap<RunNode, Parked> {
    return this.#parked;
  }

  /**
   * The end of each instruction node's latest execution. A node that did not run counts as failed if the reason was a
   * failure, otherwise as succeeded.
   */
  get endings(): ReadonlyMap<RunNode, 'succeeded' | 'failed'> {
    return this.#endings;
  }

  /**
   * Parks an execution. Returns false if the execution was parked before; the next nodes then already have its outputs.
   */
  park(node: RunNode, times: number, handover: Handover, again: Again | undefined): boolean {
    const execution = { flow_run_id: this.#runId, node_id: node.id, times };
    this.#parked.set(node, { ...handover, node, execution, again });
    return !this.#leaving.delete(node);
  }

  /** Notes that a parked execution is tried again. */
  leave(parked: Parked): void {
    this.#parked.delete(parked.node);
    this.#leaving.set(parked.node, parked);
  }

  /** Returns the outputs that a node has handed over while its execution is under way. */
  handedOver(node: RunNode): ValueMap | undefined {
    return (this.#parked.get(node) ?? this.#leaving.get(node))?.handedOver;
  }

  /** Notes that an execution has ended. Returns true if it was parked. */
  end(node: RunNode, outcome: Outcome): boolean {
    if (isInstructionNode(node)) this.#endings.set(node, 'error' in outcome ? 'failed' : 'succeeded');
    const wasLeaving = this.#leaving.delete(node);
    return this.#parked.delete(node) || wasLeaving;
  }

  /**
   * Records that a node does not run, or does not run for one element of a loop. If the reason is not a failure, the
   * transaction is made without this node.
   */
  leaveOut(node: RunNode, reason: Lack): void {
    if (isInstructionNode(node)) this.#endings.set(node, reason === 'failed' ? 'failed' : 'succeeded');
  }
}
