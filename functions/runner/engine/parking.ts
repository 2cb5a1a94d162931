import { isInstructionNode, type RunNode } from './graph.ts';
import type { Outcome } from './node_values.ts';
import { submitHead } from './readiness.ts';
import type { Handover, Parked } from './settlement.ts';

/** The instruction nodes of one run: which are parked, and how the others have ended. */
export class Parking {
  readonly #runId: string;
  readonly #parked = new Map<RunNode, Parked>();
  readonly #endings = new Map<RunNode, 'succeeded' | 'failed'>();

  constructor(runId: string) {
    this.#runId = runId;
  }

  get parked(): ReadonlyMap<RunNode, Parked> {
    return this.#parked;
  }

  /** How the latest execution of an instruction node ended, for those that have ended. */
  get endings(): ReadonlyMap<RunNode, 'succeeded' | 'failed'> {
    return this.#endings;
  }

  park(node: RunNode, times: number, handover: Handover): void {
    const execution = { flow_run_id: this.#runId, node_id: node.id, times };
    this.#parked.set(node, { ...handover, node, execution });
  }

  /** An execution has ended; true: it was parked. */
  end(node: RunNode, outcome: Outcome): boolean {
    if (isInstructionNode(node)) this.#endings.set(node, 'error' in outcome ? 'failed' : 'succeeded');
    return this.#parked.delete(node);
  }

  /** An element is about to be passed over, because it is not to be submitted or lacks something. */
  skip(node: RunNode): void {
    if (isInstructionNode(node)) this.#endings.set(node, submitHead(node) === undefined ? 'failed' : 'succeeded');
  }
}
