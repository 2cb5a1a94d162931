import { sortedJson } from '../../../types/values/json/sorted_json.ts';
import type { Value, ValueMap } from '../../../types/values/value.ts';
import { EarlierEffects } from './earlier_effects.ts';
import {
  type EarlierPosition,
  type EarlierPositions,
  type EarlierRunsOf,
  NEW_ELEMENT,
} from '../state/earlier_positions.ts';
import type { EdgeResult } from '../graph/edge_results.ts';
import { storedErrorOutput } from '../execution/error_output.ts';
import type { EffectsOfCalledFlow, RunEdge, RunNode } from '../graph/graph.ts';
import { type EarlierRuns, isDone, type StoredNodeRun } from '../state/journal.ts';
import type { Loops } from '../graph/loops.ts';
import { ByInputs } from './by_inputs.ts';
import { sameList, sameValue } from './same_value.ts';

// earlier_claim.ts continues a run after its worker died. This file continues a failed run as a new run.
//
// A redriven run goes through its graph like every run. It takes over each execution that succeeded in the earlier run
// with the same inputs. So a node that succeeded is repeated only if its inputs have changed.
//
// One execution may have different numbers in the two runs. For example, an element of an outer loop failed in the
// earlier run, so it gave no elements to the inner loop. If that element succeeds now, the inner loop gets more
// elements, and all later executions of the inner loop have higher numbers. Therefore each queue entry and each
// execution has two numbers: its own, and its position in the earlier run.
//
// If the earlier run executed another snapshot, its loops may have had other nodes, so positions can't be compared.
// Then by_inputs.ts finds the execution of the same node with the same inputs.
//
// If a node with effects `once` succeeded earlier, it is not repeated even if its inputs have changed: see
// earlier_effects.ts.

/** Stands for a value that the stored rows do not determine. */
const UNKNOWN = Symbol('unknown');

/** The value that a position had in the earlier run; undefined if it had no value. */
type Before = Value | undefined | typeof UNKNOWN;

const isKnown = (before: Value | typeof UNKNOWN): before is Value => before !== UNKNOWN;

const isSameAs = (value: Value | undefined, before: Before): boolean => before !== UNKNOWN && sameValue(value, before);

/** The values that an edge carried in an earlier run. */
interface Carried {
  /** Returns the value that a position had in the earlier run. */
  at: (index: number) => Before;
  /** Returns the index of the first value that an execution of the source gave. */
  start: (times: number) => number;
  /** Returns the number of values that an execution of the source gave. */
  count: (times: number) => number;
  /** All values, in order. */
  values: () => (Value | typeof UNKNOWN)[];
  /** False if the edge carried no value, for example because its source failed. */
  hasValues: boolean;
}

/**
 * Makes the values of an edge that carries each value unchanged. If the source ran once, there are two cases. It may
 * have run outside the loop, so that its value served every iteration. Or it ran in a loop with one element. The stored
 * rows are the same in both cases. If `isSurelyElement`, the source can't run without an element, so only the second
 * case is possible.
 */
function carriedOneByOne(
  valueOf: (times: number) => Value | undefined,
  all: readonly number[],
  isSurelyElement: boolean,
): Carried {
  const mayHaveStayed = !isSurelyElement && all.at(-1) === 0 && valueOf(0) !== undefined;
  return {
    at: (index) => mayHaveStayed && index > 0 ? UNKNOWN : valueOf(index),
    start: (times) => times,
    count: () => 1,
    values: () => all.flatMap((times) => valueOf(times) ?? []),
    hasValues: all.some((times) => valueOf(times) !== undefined),
  };
}

/**
 * Makes the values of an edge that carries arrays element by element. An execution without an array gave one entry
 * without a value.
 */
function carriedElements(valueOf: (times: number) => Value | undefined, last: number): Carried {
  const elements: (Value | undefined)[] = [];
  const starts: number[] = [];
  for (let times = 0; times <= last; times++) {
    starts.push(elements.length);
    const value = valueOf(times);
    const given: readonly (Value | undefined)[] = value !== undefined && 'A' in value ? value.A : [value];
    for (const element of given) elements.push(element);
  }
  const start = (times: number) => starts[times] ?? elements.length + times - starts.length;
  return {
    at: (index) => elements[index],
    start,
    count: (times) => start(times + 1) - start(times),
    values: () => elements.filter((element) => element !== undefined),
    hasValues: elements.some((element) => element !== undefined),
  };
}

/**
 * Makes the values of an edge with an expression. The earlier run did not record the results of the expression. A
 * result is known only if this run has computed it for the same value. For other values, `resultOf` returns UNKNOWN.
 */
const carriedResults = (outputs: Carried, resultOf: (output: Value) => Before): Carried => {
  const resultAt = (output: Before): Before => output === undefined || output === UNKNOWN ? output : resultOf(output);
  return {
    ...outputs,
    at: (index) => resultAt(outputs.at(index)),
    values: () => outputs.values().flatMap((output) => resultAt(output) ?? []),
  };
};

/**
 * Pairs each value with an earlier value. The first choice is the same value in the same position, then the same value
 * elsewhere, then another value in the same position. A value may have moved: if a collected value was missing in the
 * earlier run and exists now, the values after it shift.
 */
function pairUp(
  values: readonly (Value | undefined)[],
  before: readonly Before[],
): (EarlierPosition | undefined)[] {
  const pairs: (EarlierPosition | undefined)[] = values.map((value, index) =>
    index < before.length && isSameAs(value, before[index]) ? { index, isSame: true } : undefined
  );
  if (pairs.every((pair) => pair !== undefined)) return pairs;
  const unpaired = new Map<string, number[]>();
  for (const [index, value] of before.entries()) {
    if (value === undefined || value === UNKNOWN || pairs[index] !== undefined) continue;
    const text = sortedJson(value);
    const positions = unpaired.get(text);
    if (positions === undefined) unpaired.set(text, [index]);
    else positions.push(index);
  }
  for (const positions of unpaired.values()) positions.reverse();
  const taken = new Set<number>();
  for (const [index, value] of values.entries()) {
    if (value === undefined || pairs[index] !== undefined) continue;
    const position = unpaired.get(sortedJson(value))?.pop();
    if (position === undefined) continue;
    taken.add(position);
    pairs[index] = { index: position, isSame: true };
  }
  return pairs.map((pair, index) =>
    pair ?? (index < before.length && !taken.has(index) ? { index, isSame: false } : NEW_ELEMENT)
  );
}

/** The changes of a flow that is the same in both snapshots. */
const NO_CHANGES = { nodes: {}, calls: [] };

interface TakeOverOptions {
  runs: EarlierRunsOf;
  /** The flow of the run: its id as text, or `entry` for the root. */
  flow: string;
  loops: Loops;
  effectsOfCalledFlow: EffectsOfCalledFlow;
  /** Tests whether the redrive allows the node to repeat its effects. */
  mayRepeat: (node: RunNode) => boolean;
  isPinned: (node: RunNode) => boolean;
}

/** What the earlier runs tell about an execution that is about to begin. */
interface Continued {
  positions: EarlierPositions;
  /** The execution to take over; undefined if the node has to run. */
  takenOver: StoredNodeRun | undefined;
  /** The error with which the execution fails, because it would repeat an effect. */
  fault: string | undefined;
  /** The runs that the execution called, one for each earlier run; undefined if it called none at all. */
  calledRuns: EarlierRunsOf | undefined;
}

/** Selects the executions that a redriven run takes over from the earlier runs. */
export class TakeOver {
  readonly #earlier: EarlierRuns;
  readonly #runs: EarlierRunsOf;
  readonly #loops: Loops;
  readonly #isPinned: (node: RunNode) => boolean;
  readonly #carried: WeakMap<RunEdge, Carried>[];
  /** The results of each edge's expression. The key of a result is the text of the value for which it was computed. */
  readonly #results = new Map<RunEdge, Map<string, Value | undefined>>();
  /** One entry for each earlier run; undefined for a run of the same snapshot. */
  readonly #byInputs: readonly (ByInputs | undefined)[];
  readonly #effects: EarlierEffects;

  constructor(earlier: EarlierRuns, { runs, flow, loops, effectsOfCalledFlow, mayRepeat, isPinned }: TakeOverOptions) {
    this.#earlier = earlier;
    this.#runs = runs;
    this.#loops = loops;
    this.#isPinned = isPinned;
    this.#carried = runs.map(() => new WeakMap());
    const byInputs = runs.map((run, layer) => {
      const changes = earlier.changes[layer];
      return new ByInputs(
        run === undefined ? () => new Map() : (nodeId) => earlier.executions(run.id, nodeId),
        changes === undefined ? NO_CHANGES : changes[flow],
      );
    });
    this.#byInputs = byInputs.map((found, layer) => earlier.changes[layer] && found);
    this.#effects = new EarlierEffects(earlier, { runs, byInputs, effectsOfCalledFlow, mayRepeat });
  }

  /**
   * Looks at the execution that takes the present entries of the node's queues. `inputs` are the values of these
   * entries, completed with form data. If the expression of an edge failed, `inputs` is undefined.
   */
  next(node: RunNode, inputs: ValueMap | undefined): Continued {
    const effect = inputs === undefined || this.#isPinned(node)
      ? undefined
      : this.#effects.next(node, inputs, (layer) => this.#indexesOfHeads(node, layer));
    const positions = this.positionsOfNext(node, inputs);
    return {
      positions,
      takenOver: effect === undefined ? this.#find(node, positions) : effect.takenOver,
      fault: effect?.fault,
      calledRuns: this.#calledRuns(node, effect?.positions ?? positions, effect !== undefined),
    };
  }

  /** Records that an execution has succeeded. */
  succeeded(node: RunNode, times: number): void {
    this.#effects.succeeded(node, times);
  }

  /** Tests whether all effects of the earlier runs are results of this run, too. */
  hasAllEffects(nodes: readonly RunNode[]): boolean {
    return this.#effects.areAllIn(nodes);
  }

  /**
   * Returns the earlier positions of the execution that takes the present entries of the node's queues. `inputs` are
   * the values of these entries, completed with form data. If the node is skipped or an expression failed, `inputs` is
   * undefined.
   */
  positionsOfNext(node: RunNode, inputs?: ValueMap): EarlierPositions {
    return this.#runs.map((run, layer) => {
      const byInputs = this.#byInputs[layer];
      if (byInputs !== undefined) return inputs && byInputs.positionOf(node, inputs);
      if (node.module?.takesFlowInputs) return { index: 0, isSame: run?.hasSameInputs ?? false };
      return node.module?.collects ? this.#positionOfAll(node, layer) : this.#positionOfHeads(node, layer);
    });
  }

  /**
   * Returns the positions of an execution of a fed node. All earlier runs were fed with the same values, so an
   * execution has the same position in each run.
   */
  positionsOfFed(times: number): EarlierPositions {
    return this.#runs.map((run) => run === undefined ? undefined : { index: times, isSame: true });
  }

  /** Returns the execution to take over; undefined if the node has to run. */
  #find(node: RunNode, positions: EarlierPositions): StoredNodeRun | undefined {
    for (const [layer, run] of this.#runs.entries()) {
      const position = positions[layer];
      if (run === undefined || !position?.isSame) continue;
      const found = this.#earlier.executions(run.id, node.id).get(position.index);
      // The newest of the earlier runs that have the execution decides. If the execution failed in that run, the node
      // runs again.
      if (found !== undefined) return isDone(found) && !this.#byInputs[layer]?.hasOtherCall(node) ? found : undefined;
    }
    return undefined;
  }

  /**
   * Returns the runs that the execution with these positions called, one for each earlier run. Returns undefined if it
   * called none at all. If `hasEffects`, a run that was called with other inputs is also continued, because its effects
   * must not be repeated.
   */
  #calledRuns(node: RunNode, positions: EarlierPositions, hasEffects: boolean): EarlierRunsOf | undefined {
    const called = this.#runs.map((run, layer) => {
      const position = positions[layer];
      if (run === undefined || position === undefined || !(position.isSame || hasEffects)) return undefined;
      const id = this.#earlier.calledRun({ flow_run_id: run.id, node_id: node.id, times: position.index });
      return id === undefined ? undefined : { id, hasSameInputs: position.isSame };
    });
    return called.some((run) => run !== undefined) ? called : undefined;
  }

  /** An execution with these positions gives values to an edge. Returns the positions of each of these values. */
  positionsOfEntries(
    edge: RunEdge,
    positions: EarlierPositions,
    { given, handed }: { given: readonly (Value | undefined)[]; handed: readonly EdgeResult[] },
  ): EarlierPositions[] {
    if (edge.expression !== undefined) this.#learnResults(edge, given, handed);
    const values = handed.map(({ value }) => value);
    const byLayer = positions.map((position, layer) => {
      const carried = this.#carriedIn(edge, layer);
      // For a run of another snapshot, ByInputs finds positions instead.
      if (position === undefined || carried === undefined || this.#byInputs[layer] !== undefined) return [];
      if (position.index < 0) return values.map(() => NEW_ELEMENT);
      const start = carried.start(position.index);
      const before = Array.from({ length: carried.count(position.index) }, (_, index) => carried.at(start + index));
      return pairUp(values, before).map((pair) => pair && { index: start + pair.index, isSame: pair.isSame });
    });
    return values.map((_, index) => byLayer.map((ofEntries) => ofEntries[index]));
  }

  #learnResults(edge: RunEdge, given: readonly (Value | undefined)[], handed: readonly EdgeResult[]): void {
    const known = this.#results.get(edge) ?? new Map<string, Value | undefined>();
    this.#results.set(edge, known);
    for (const [index, value] of given.entries()) {
      if (value !== undefined) known.set(sortedJson(value), handed[index]?.value);
    }
  }

  #resultOf(edge: RunEdge, output: Value): Before {
    const text = sortedJson(output);
    const known = this.#results.get(edge);
    return known?.has(text) ? known.get(text) : UNKNOWN;
  }

  /** Returns the position for a node that takes all values of its edges in one execution. */
  #positionOfAll(node: RunNode, layer: number): EarlierPosition {
    // If several edges lead into one input, the node takes the values of the last edge.
    const decided = new Set<string>();
    const changed = node.incoming.findLast((edge) => {
      if (decided.has(edge.input.name)) return false;
      decided.add(edge.input.name);
      const values = edge.queue.entries().flatMap(({ value }) => value ?? []);
      const before = this.#carriedIn(edge, layer)?.values() ?? [];
      return before.includes(UNKNOWN) || !sameList(values, before.filter(isKnown));
    });
    return { index: 0, isSame: changed === undefined };
  }

  /**
   * Returns the positions that an execution of a node with effects may have in an earlier run, the likeliest first. The
   * execution of a new element has none. If the positions of the entries are unknown, the execution's own number counts.
   */
  #indexesOfHeads(node: RunNode, layer: number): number[] {
    const ofElements = node.incoming.flatMap(({ queue: { head } }) => head?.isElement ? head : []);
    const known = ofElements.flatMap(({ positions }) => positions?.[layer]?.index ?? []);
    return known.length === 0 ? [node.times] : [...new Set(known)].filter((index) => index >= 0);
  }

  /**
   * Returns the position for a node that takes one entry of each queue. All entries that belong to a loop must have the
   * same earlier position.
   */
  #positionOfHeads(node: RunNode, layer: number): EarlierPosition | undefined {
    const ofElements = node.incoming.filter(({ queue: { head } }) => head?.isElement);
    // An edge without earlier values tells nothing, so the other edges decide. On each of the deciding edges, a
    // position occurs only once. So two executions never get the same position.
    const telling = ofElements.filter((edge) => this.#carriedIn(edge, layer)?.hasValues);
    const elements = (telling.length > 0 ? telling : ofElements).map(({ queue: { head } }) =>
      head?.positions?.[layer]?.index
    );
    const [index = elements.length === 0 ? 0 : undefined] = elements;
    if (index === undefined || elements.some((other) => other !== index)) return undefined;
    // If several edges lead into one input, only the last edge with a value is compared.
    const decided = new Set<string>();
    const changed = node.incoming.findLast((edge) => {
      const { input: { name }, queue: { head } } = edge;
      if (decided.has(name)) return false;
      if (head === undefined) {
        const isInLoop = edge.isSpread || this.#loops.maybe.has(edge.source);
        return this.#carriedIn(edge, layer)?.at(isInLoop ? index : 0) !== undefined;
      }
      const isAbsentInBoth = head.value === undefined && !this.#carriedIn(edge, layer)?.hasValues;
      if (!isAbsentInBoth && !head.positions?.[layer]?.isSame) return true;
      if (head.value !== undefined) decided.add(name);
      return false;
    });
    return { index, isSame: changed === undefined };
  }

  #carriedIn(edge: RunEdge, layer: number): Carried | undefined {
    const run = this.#runs[layer];
    if (run === undefined) return undefined;
    let carried = this.#carried[layer]?.get(edge);
    if (carried === undefined) {
      const runs = edge.source.feed?.executions ?? this.#earlier.executions(run.id, edge.source.id);
      const valueOf = (times: number) => {
        const execution = runs.get(times);
        if (edge.isError) return execution && storedErrorOutput(execution);
        const outputs = execution?.output?.M;
        return outputs !== undefined && Object.hasOwn(outputs, edge.sourcePort) ? outputs[edge.sourcePort] : undefined;
      };
      const all = [...runs.keys()];
      const isSurelyElement = !this.#loops.maybe.has(edge.source) || this.#loops.surely.has(edge.source);
      const outputs = edge.isSpread
        ? carriedElements(valueOf, all.at(-1) ?? -1)
        : carriedOneByOne(valueOf, all, isSurelyElement);
      carried = edge.expression === undefined
        ? outputs
        : carriedResults(outputs, (output) => this.#resultOf(edge, output));
      this.#carried[layer]?.set(edge, carried);
    }
    return carried;
  }
}
