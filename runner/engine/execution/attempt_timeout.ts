import { MAX_TIMER_MS } from '../../../platform/pause.ts';
import { codedError } from '../../../types/run_errors.ts';
import type { Tree } from '../tree/tree.ts';
import type { RunNode } from '../graph/graph.ts';
import { effectsWith, NodeError, Released } from '../node.ts';
import { PartLifecycle } from '../state/part_lifecycle.ts';
import { TransientError } from '../failures/transient_error.ts';
import type { ValueMap } from '../../../types/values/value.ts';

// `data.timeout_ms` of a node limits each attempt. The time counts from the stored begin of the attempt. So a claim
// that continues the attempt has only the remaining time. Results that come after the time are dropped. The node decides
// how the attempt ends:
//   - A node that computes or reads: the attempt fails at once, and its signal is aborted.
//   - A node with effects outside: the attempt fails in the same way, and the error says that the effects may have
//     happened.
//   - A node that calls a flow: transactions under way are settled, then the called runs end, and then the attempt
//     fails.
//   - An instruction node: the time applies only while the node makes its instructions.

const callsFlow = ({ module }: RunNode): boolean => module?.effectsOfCalledFlow !== undefined;

/**
 * The error of an attempt whose time is over. If the text says that effects may have happened, a redrive needs
 * `accept_unknown`.
 */
function timeoutError(node: RunNode, inputs: ValueMap, timeoutMs: number): NodeError {
  const { module } = node;
  const told = codedError('node_timeout', `the attempt took longer than ${timeoutMs} ms`);
  // The timeouts of these two kinds of nodes are not transient. A called flow is never tried again as a whole. The URL
  // of a pending input is invalid after the attempt.
  if (callsFlow(node) || module?.asksForInput) return new NodeError(told);
  const isRepeatable = module === undefined || !('run' in module) || effectsWith(module, inputs) !== 'once';
  return new TransientError(isRepeatable ? told : `${told}; what it does outside may have happened`);
}

/** The time limit of one attempt. */
export class AttemptTimeout {
  /** The tree with another lifecycle. That lifecycle is the attempt's own and ends with the attempt. */
  readonly tree: Tree;
  /** Milliseconds since 1970. */
  readonly until: number;
  readonly #lifecycle: PartLifecycle;
  readonly #node: RunNode;
  readonly #error: NodeError;
  #isOver = false;

  constructor(tree: Tree, node: RunNode, inputs: ValueMap, timeoutMs: number, begin: number) {
    this.until = begin + timeoutMs;
    this.#node = node;
    this.#error = timeoutError(node, inputs, timeoutMs);
    // If the node calls a flow, nodes of the called run may never be reached, so the halt is reported to the journal.
    // Any other attempt fails like a node that fails by itself.
    const onHalt = callsFlow(node) ? () => tree.services.journal.leftIncomplete() : () => {};
    this.#lifecycle = new PartLifecycle(tree.lifecycle, onHalt);
    this.tree = { ...tree, lifecycle: this.#lifecycle };
  }

  /** Throws the timeout error if the attempt's time is over. */
  check(): void {
    if (this.#leftMs() <= 0) throw this.#error;
  }

  /** Runs the attempt until it ends or its time is over. */
  limit<T>(run: () => T | Promise<T>): T | Promise<T> {
    const { sleepers } = this.tree;
    const isCalling = callsFlow(this.#node);
    if (this.#leftMs() <= 0) {
      // If an earlier claim began the called run, that run must still end. It continues, but as a halted run. Otherwise
      // the call fails.
      if (!isCalling) throw this.#error;
      this.#expire();
    }
    let given: T | Promise<T>;
    try {
      given = run();
    } catch (error) {
      this.#lifecycle.end();
      throw this.#errorOf(error);
    }
    if (!(given instanceof Promise)) {
      this.#lifecycle.end();
      return given;
    }
    sleepers.addDeadline(this.until);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeIsOver = new Promise<never>((_, reject) => {
      const expire = () => {
        this.#expire();
        if (!isCalling) reject(this.#error);
      };
      const wait = (ms: number) => {
        timer = setTimeout(() => ms > MAX_TIMER_MS ? wait(ms - MAX_TIMER_MS) : expire(), Math.min(ms, MAX_TIMER_MS));
      };
      wait(this.#leftMs());
    });
    return Promise.race([given, timeIsOver]).catch((error: unknown) => {
      throw this.#errorOf(error);
    }).finally(() => {
      clearTimeout(timer);
      sleepers.removeDeadline(this.until);
      this.#lifecycle.end();
    });
  }

  #leftMs(): number {
    return this.until - this.tree.services.now();
  }

  #expire(): void {
    this.#isOver = true;
    this.#lifecycle.haltWith({ status: 'failed', message: this.#error.message, graceMs: 0 });
  }

  /**
   * Returns the error of an attempt. After the attempt's time is over, the timeout error replaces every other error
   * except Released.
   */
  #errorOf(error: unknown): unknown {
    const isOver = this.#isOver || this.#leftMs() <= 0;
    return isOver && !(error instanceof Released) ? this.#error : error;
  }
}
