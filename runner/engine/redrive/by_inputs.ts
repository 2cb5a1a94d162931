import { sortedJson } from '../../../types/values/json/sorted_json.ts';
import type { ValueMap } from '../../../types/values/value.ts';
import type { EarlierPosition } from '../state/earlier_positions.ts';
import type { RunNode } from '../graph/graph.ts';
import { type EarlierNodeRun, type GraphChanges, isDone } from '../state/journal.ts';

/** The executions of one node in an earlier run, and the executions of this run to which they are assigned. */
interface NodeExecutions {
  /**
   * The numbers of the earlier executions with the same inputs. The key is the text of the inputs. Done executions come
   * first, so that as few nodes as possible are repeated.
   */
  withInputs: Map<string, number[]>;
  /** The numbers of the earlier executions that are assigned to executions of this run. */
  assigned: Set<number>;
  /** The position assigned to each execution of this run. It is kept, because a position is looked up more than once. */
  given: (EarlierPosition | undefined)[];
}

/** Finds executions of the same node with the same inputs in an earlier run. */
export class ByInputs {
  readonly #executions: (nodeId: string) => ReadonlyMap<number, EarlierNodeRun>;
  /** Undefined if the snapshot of the earlier run did not have this flow. */
  readonly #changes: GraphChanges | undefined;
  readonly #otherCalls: ReadonlySet<string>;
  readonly #nodes = new Map<RunNode, NodeExecutions>();

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
   * earlier execution is assigned once. Done executions are assigned before failed ones. Of executions that are equal
   * in this, `preferred` is assigned first.
   */
  positionOf(node: RunNode, inputs: ValueMap, preferred?: number): EarlierPosition | undefined {
    if (this.#changes === undefined || Object.hasOwn(this.#changes.nodes, node.id)) return undefined;
    const { given } = this.#of(node);
    if (!(node.times in given)) {
      const index = this.#assign(node, inputs, preferred);
      given[node.times] = index === undefined ? undefined : { index, isSame: true };
    }
    return given[node.times];
  }

  /** Tests whether an earlier execution is assigned to an execution of this run, because their inputs are the same. */
  isAssigned(node: RunNode, index: number): boolean {
    return this.#nodes.get(node)?.assigned.has(index) ?? false;
  }

  /**
   * Tests whether a node calls a flow that has changed. An execution of such a node is not taken over, and the node
   * calls the flow again. The new called run then takes over executions of the earlier called run.
   */
  hasOtherCall({ id }: RunNode): boolean {
    return this.#otherCalls.has(id);
  }

  #assign(node: RunNode, inputs: ValueMap, preferred: number | undefined): number | undefined {
    const { withInputs, assigned } = this.#of(node);
    if (withInputs.size === 0) return undefined;
    const text = sortedJson({ M: inputs });
    const equal = withInputs.get(text) ?? [];
    while (equal.length > 0 && assigned.has(equal.at(-1)!)) equal.pop();
    const next = equal.at(-1);
    if (next === undefined) return undefined;
    const runs = this.#executions(node.id);
    const isAsGood = ({ input, ...run }: EarlierNodeRun) =>
      input !== undefined && sortedJson(input) === text && isDone(run) === isDone(runs.get(next)!);
    const wanted = preferred === undefined || assigned.has(preferred) ? undefined : runs.get(preferred);
    const index = wanted !== undefined && isAsGood(wanted) ? wanted.times : next;
    assigned.add(index);
    return index;
  }

  #of(node: RunNode): NodeExecutions {
    let known = this.#nodes.get(node);
    if (known === undefined) {
      const withInputs = new Map<string, number[]>();
      const runs = [...this.#executions(node.id).values()].toReversed();
      // The last number of a list is assigned first.
      for (const run of [...runs.filter((other) => !isDone(other)), ...runs.filter(isDone)]) {
        if (run.input === undefined) continue;
        const text = sortedJson(run.input);
        const others = withInputs.get(text);
        if (others === undefined) withInputs.set(text, [run.times]);
        else others.push(run.times);
      }
      this.#nodes.set(node, known = { withInputs, assigned: new Set(), given: [] });
    }
    return known;
  }
}
