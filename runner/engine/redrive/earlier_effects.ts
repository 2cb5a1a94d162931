import { codedError } from '../../../types/run_errors.ts';
import type { Effects } from '../../../types/node_definition.ts';
import { ValueError, type ValueMap } from '../../../types/values/value.ts';
import type { EarlierPosition, EarlierPositions, EarlierRunsOf } from '../state/earlier_positions.ts';
import type { EffectsOfCalledFlow, RunNode } from '../graph/graph.ts';
import { describeDifferences } from './input_differences.ts';
import { type EarlierNodeRun, type EarlierRuns, isDone, type StoredNodeRun } from '../state/journal.ts';
import { effectsWith, NodeError } from '../node.ts';
import type { ByInputs } from './by_inputs.ts';
import { isSubmitted } from '../tree/settlement.ts';

// A redrive never repeats an execution with effects `once` that succeeded in an earlier run, although its inputs may be
// others now. For each execution of such a node there are three cases:
//   - An earlier execution with the same inputs succeeded, at any position of the loop. It is taken over.
//   - The earlier execution at the same position succeeded, with other inputs. The execution fails with
//     effect_already_done, unless the redrive names the node in `repeat_effects`.
//   - Otherwise the node runs.

/**
 * Returns the effects of an execution of the node with these inputs. To ask somebody for an input counts as an effect.
 * If the node can't execute these inputs, it has no effects.
 */
function effectsOfExecution(
  node: RunNode,
  inputs: ValueMap,
  effectsOfCalledFlow: EffectsOfCalledFlow,
): Effects {
  const { module } = node;
  if (module === undefined) return 'none';
  if (module.asksForInput) return 'once';
  if (module.effectsOfCalledFlow !== undefined) return effectsOfCalledFlow(node, module.effectsOfCalledFlow);
  try {
    return !('buildInstructions' in module) || isSubmitted(inputs) ? effectsWith(module, inputs) : 'none';
  } catch (error) {
    if (error instanceof ValueError || error instanceof NodeError) return 'none';
    throw error;
  }
}

/** What the earlier runs tell about an execution of a node with effects. */
interface EarlierEffect {
  /** The execution to take over. */
  takenOver: StoredNodeRun | undefined;
  /** The error with which the execution fails, because an execution with other inputs succeeded. */
  fault: string | undefined;
  /** The positions of the execution in the earlier runs. */
  positions: EarlierPositions;
}

interface EarlierEffectsOptions {
  runs: EarlierRunsOf;
  /** Finds executions by their inputs: one entry for each of the earlier runs. */
  byInputs: readonly ByInputs[];
  effectsOfCalledFlow: EffectsOfCalledFlow;
  /** Tests whether the redrive allows the node to repeat its effects. */
  mayRepeat: (node: RunNode) => boolean;
}

/** The executions with effects that succeeded in the earlier runs of one run. */
export class EarlierEffects {
  readonly #earlier: EarlierRuns;
  readonly #options: EarlierEffectsOptions;
  /**
   * The earlier executions that executions of this run replace, one set for each earlier run. Only executions that were
   * not assigned by their inputs are here.
   */
  readonly #replaced: readonly Set<EarlierNodeRun>[];
  /** The earlier executions that an execution of this run will replace if it succeeds. */
  readonly #repeating = new Map<RunNode, Map<number, () => void>>();

  constructor(earlier: EarlierRuns, options: EarlierEffectsOptions) {
    this.#earlier = earlier;
    this.#options = options;
    this.#replaced = options.runs.map(() => new Set());
  }

  /**
   * Looks at the next execution of a node. `indexesIn` returns the positions that the execution may have in an earlier
   * run, the likeliest first. Returns undefined if an execution with these inputs may be repeated.
   */
  next(node: RunNode, inputs: ValueMap, indexesIn: (layer: number) => readonly number[]): EarlierEffect | undefined {
    if (!this.#isOnce(node, inputs)) return undefined;
    let takenOver: EarlierNodeRun | undefined;
    let otherwise: EarlierNodeRun | undefined;
    const replaced: (() => void)[] = [];
    const positions = this.#options.runs.map((run, layer): EarlierPosition | undefined => {
      if (run === undefined) return undefined;
      const byInputs = this.#options.byInputs[layer]!;
      const runs = this.#earlier.executions(run.id, node.id);
      const indexes = indexesIn(layer).filter((index) => !byInputs.isAssigned(node, index));
      const same = byInputs.positionOf(node, inputs, indexes[0]);
      const sameRun = same && runs.get(same.index);
      if (sameRun !== undefined && isDone(sameRun) && !byInputs.hasOtherCall(node)) {
        takenOver ??= sameRun;
        return same;
      }
      const others = indexes.flatMap((index) => runs.get(index) ?? []).filter((other) => other !== sameRun);
      const done = others.find((other) => this.#hasActed(node, other));
      if (done !== undefined) {
        otherwise ??= done;
        replaced.push(() => this.#replaced[layer]!.add(done));
      }
      const [index] = indexes;
      const called = others.find((other) => this.#earlier.calledRun(other) !== undefined);
      // The called run continues this one, and looks at the effects in it.
      if (called !== undefined) this.#replaced[layer]!.add(called);
      return same ?? (index === undefined ? undefined : { index, isSame: false });
    });
    if (takenOver !== undefined) {
      for (const replace of replaced) replace();
      return { takenOver, fault: undefined, positions };
    }
    if (otherwise === undefined) return { takenOver, fault: undefined, positions };
    if (!this.#options.mayRepeat(node)) return { takenOver, fault: alreadyDone(otherwise, inputs), positions };
    const repeating = this.#repeating.get(node) ?? new Map<number, () => void>();
    this.#repeating.set(node, repeating.set(node.times, () => replaced.forEach((replace) => replace())));
    return { takenOver, fault: undefined, positions };
  }

  /** Records that an execution has succeeded. */
  succeeded(node: RunNode, times: number): void {
    this.#repeating.get(node)?.get(times)?.();
  }

  /**
   * Tests whether all effects of the earlier runs are results of this run, too. Otherwise a redrive of this run has to
   * read the earlier runs again, because it must not repeat these effects either.
   */
  areAllIn(nodes: readonly RunNode[]): boolean {
    return this.#options.runs.every((run, layer) =>
      run === undefined ||
      nodes.every((node) =>
        [...this.#earlier.executions(run.id, node.id).values()].every((earlier) =>
          this.#options.byInputs[layer]!.isAssigned(node, earlier.times) || this.#replaced[layer]!.has(earlier) ||
          !this.#hasActed(node, earlier) && !this.#mayHaveActedInside(node, earlier)
        )
      )
    );
  }

  #isOnce(node: RunNode, inputs: ValueMap): boolean {
    return effectsOfExecution(node, inputs, this.#options.effectsOfCalledFlow) === 'once';
  }

  /** Tests whether an earlier execution succeeded and had effects `once`. */
  #hasActed(node: RunNode, { end_time, errors, input }: EarlierNodeRun): boolean {
    return end_time !== null && errors === null && input !== undefined && this.#isOnce(node, input.M);
  }

  /** Tests whether an earlier execution failed, but called a flow in which nodes may have had effects `once`. */
  #mayHaveActedInside(node: RunNode, earlier: EarlierNodeRun): boolean {
    return this.#earlier.calledRun(earlier) !== undefined && this.#isOnce(node, earlier.input?.M ?? {});
  }
}

/** Makes the error of an execution whose node succeeded earlier with other inputs. */
const alreadyDone = ({ flow_run_id, times, input }: EarlierNodeRun, inputs: ValueMap): string =>
  codedError(
    'effect_already_done',
    `the node succeeded in run ${flow_run_id}${times > 0 ? ` (#${times})` : ''} with other inputs, ` +
      `so it did not act again; ${describeDifferences(input?.M ?? {}, inputs)}`,
  );
