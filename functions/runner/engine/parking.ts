import {
  type Bundling,
  groupInstructionNodes,
  isInstructionNode,
  nextStep,
  type Parked,
  type Step,
} from '../solana/bundling.ts';
import type { RunNode } from './graph.ts';
import type { Handover, Outcome } from './node_values.ts';
import { submitHead } from './readiness.ts';
import type { StoredTransaction } from '../solana/transaction.ts';

/** The instruction nodes of one run: which have handed their instructions over, and how the others stand. */
export class Parking {
  readonly #runId: string;
  readonly #isBundled: boolean;
  readonly #grouping: Bundling['grouping'];
  readonly #parked = new Map<RunNode, Parked>();
  readonly #endings = new Map<RunNode, 'succeeded' | 'failed'>();

  /** `isBundled`: the nodes of a group share transactions. */
  constructor(runId: string, nodes: RunNode[], isBundled: boolean) {
    this.#runId = runId;
    this.#isBundled = isBundled;
    this.#grouping = groupInstructionNodes(nodes);
  }

  get size(): number {
    return this.#parked.size;
  }

  park(node: RunNode, times: number, handover: Handover): void {
    const execution = { flow_run_id: this.#runId, node_id: node.id, times };
    this.#parked.set(node, { ...handover, node, execution });
  }

  /** The parked executions. */
  all(): Parked[] {
    return [...this.#parked.values()];
  }

  /** What a parked execution has handed on before; undefined for one that is not parked. */
  handedOverBy(node: RunNode): Parked['handedOver'] | undefined {
    return this.#parked.get(node)?.handedOver;
  }

  /** An execution has ended; true: it was parked. */
  end(node: RunNode, outcome: Outcome): boolean {
    if (isInstructionNode(node)) this.#endings.set(node, 'error' in outcome ? 'failed' : 'succeeded');
    return this.#parked.delete(node);
  }

  /** An element is passed over, before it is taken: because it is not to be submitted, or lacks something. */
  skip(node: RunNode): void {
    if (isInstructionNode(node)) this.#endings.set(node, submitHead(node) === undefined ? 'failed' : 'succeeded');
  }

  nextStep(begun: StoredTransaction[]): Step | undefined {
    return nextStep({
      grouping: this.#grouping,
      isBundled: this.#isBundled,
      parked: this.#parked,
      endings: this.#endings,
    }, begun);
  }
}
