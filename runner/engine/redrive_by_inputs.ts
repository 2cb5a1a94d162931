import type { ValueMap } from '../../types/values/value.ts';
import type { EarlierPosition } from './earlier_positions.ts';
import type { RunNode } from './graph.ts';
import { type EarlierNodeRun, type GraphChanges, isDone } from './journal.ts';
import { textOfValue } from './same_value.ts';

/** Finds executions of the same node with the same inputs in an earlier run of another snapshot. */
export class ByInputs {
  readonly #executions: (nodeId: string) => ReadonlyMap<number, EarlierNodeRun>;
  /** Undefined if the other snapshot did not have this flow. */
  readonly #changes: GraphChanges | undefined;
  readonly #otherCalls: ReadonlySet<string>;
  /**
   * For each node, the earlier executions that are still free: not yet assigned to an execution of this run. The key is
   * the text of their inputs.
   */
  readonly #open = new Map<RunNode, Map<string, number[]>>();
  /** The position assigned to each execution. It is kept, because a position is looked up more than once. */
  readonly #given = new Map<RunNode, (EarlierPosition | undefined)[]>();

  constructor(
    executions: (nodeId: string) => ReadonlyMap<number, EarlierNodeRun>,
    changes: GraphChanges | undefined,
  ) {
    this.#executions = executions;
    this.#changes = changes;
    this.#otherCalls = new Set(changes?.calls);
  }

  /**
   * Assigns an earlier execution with these inputs to the node's next execution, and returns the earlier position. Each
   * earlier execution is assigned once. Done executions are assigned before failed ones, so that as few nodes as
   * possible are repeated.
   */
  positionOf(node: RunNode, inputs: ValueMap): EarlierPosition | undefined {
    if (this.#changes === undefined || Object.hasOwn(this.#changes.nodes, node.id)) return undefined;
    let given = this.#given.get(node);
    if (given === undefined) this.#given.set(node, given = []);
    if (!(node.times in given)) {
      const open = this.#openOf(node);
      const index = open.size === 0 ? undefined : open.get(textOfValue({ M: inputs }))?.shift();
      given[node.times] = index === undefined ? undefined : { index, isSame: true };
    }
    return given[node.times];
  }

  /**
   * Tests whether a node calls a flow that has changed. An execution of such a node is not taken over, and the node
   * calls the flow again. The new called run then takes over executions of the earlier called run.
   */
  hasOtherCall({ id }: RunNode): boolean {
    return this.#otherCalls.has(id);
  }

  #openOf(node: RunNode): Map<string, number[]> {
    let open = this.#open.get(node);
    if (open === undefined) {
      this.#open.set(node, open = new Map());
      const runs = [...this.#executions(node.id).values()];
      for (const run of [...runs.filter(isDone), ...runs.filter((other) => !isDone(other))]) {
        if (run.input === undefined) continue;
        const text = textOfValue(run.input);
        const others = open.get(text);
        if (others === undefined) open.set(text, [run.times]);
        else others.push(run.times);
      }
    }
    return open;
  }
}
