import { codedError } from '../../../types/run_errors.ts';
import type { Value } from '../../../types/values/value.ts';
import type { Tree } from '../tree/tree.ts';
import type { EdgeResult, EdgeResults } from '../graph/edge_results.ts';
import type { RunEdge } from '../graph/graph.ts';
import { type GivenAlong, givenBy } from './hand_on.ts';
import { Released } from '../node.ts';
import { tooLarge } from '../graph/outcome.ts';
import type { Completion } from './run_record.ts';
import { measureValue } from '../limits/value_size.ts';

// An edge's expression is evaluated after the source has ended and before its outputs reach the next nodes. The end of
// the source is recorded before the evaluation, because the effects of the source have happened even if the expression
// fails. The results are not recorded. Each claim that replays the execution computes the same results again from the
// execution's stored outputs.

/** If the run is ending, all expressions on the outgoing edges of one execution together have this time. */
const ENDING_MS = 500;

/** The evaluation of the expressions on the outgoing edges of one execution. */
class Evaluation {
  readonly #tree: Tree;
  readonly #edges: readonly GivenAlong[];
  readonly #checkTime: () => void;
  readonly #beginMs: number;

  constructor(tree: Tree, edges: readonly GivenAlong[]) {
    const { slice } = tree.services;
    this.#tree = tree;
    this.#edges = edges;
    // All expressions of one execution together may compute for as long as one node may in an Edge Function. The time
    // counts from now on, even if the slice began earlier. If it is exceeded, the expressions fail, and no later claim
    // tries them again.
    this.#checkTime = slice.makeCheck(true);
    this.#beginMs = slice.spentMs();
  }

  async results(): Promise<EdgeResults> {
    const { slice } = this.#tree.services;
    const results = new Map<RunEdge, EdgeResult[]>();
    slice.startComputing();
    try {
      for (const { edge, values } of this.#edges) {
        const ofEdge: EdgeResult[] = [];
        results.set(edge, ofEdge);
        for (const value of values) {
          ofEdge.push(value === undefined || this.#isLate() ? { value: undefined } : await this.#result(edge, value));
          await this.#breathe();
        }
      }
    } finally {
      slice.stopComputing();
    }
    return results;
  }

  async #result(edge: RunEdge, value: Value): Promise<EdgeResult> {
    try {
      const result = await this.#evaluate(edge, value);
      const fault = result && this.#faultOf(result);
      return fault === undefined ? { value: result } : { value: undefined, fault: failure(edge, fault) };
    } catch (error) {
      if (error instanceof Released) throw error;
      return { value: undefined, fault: failure(edge, error instanceof Error ? error.message : String(error)) };
    }
  }

  async #evaluate({ expression = '', input: { types } }: RunEdge, value: Value): Promise<Value | undefined> {
    const { services, lifecycle, run, counters: { limits } } = this.#tree;
    const evaluated = services.evaluateExpression({ expression, value, types }, {
      ownerId: run.ownerId,
      maxOutputBytes: limits.outputBytes,
      // Without `scripts`, the expression needs no thread. A run that is ending does not wait for a free thread.
      scripts: lifecycle.cancelled.aborted ? undefined : services.scripts,
      signal: lifecycle.cancelled,
      releasing: lifecycle.releasing,
      checkTime: this.#checkTime,
      rest: services.rest,
    });
    return evaluated instanceof Promise ? await this.#pause(evaluated) : evaluated;
  }

  /** Returns the reason why a result can't become an input. Returns undefined if the result is valid. */
  #faultOf(result: Value): string | undefined {
    const { counters } = this.#tree;
    const { bytes, fault } = measureValue(result);
    if (fault !== undefined) return fault;
    counters.countBytes(bytes);
    return bytes > counters.limits.outputBytes ? tooLarge(bytes, counters.limits.outputBytes) : undefined;
  }

  /** Lets other runs compute. If the run is released, throws Released. */
  async #breathe(): Promise<void> {
    const { run, lifecycle, counters, services: { slice } } = this.#tree;
    if (slice.needsBreath()) await this.#pause(slice.breathe(run.ownerId));
    // Without progress, the evaluation goes on. Otherwise the next claim would stop at the same place again.
    if (lifecycle.releasing.aborted && counters.hasProgressed()) throw new Released();
  }

  /** True if the run is ending and ENDING_MS are over. */
  #isLate(): boolean {
    const { lifecycle: { cancelled }, services: { slice } } = this.#tree;
    return cancelled.aborted && slice.spentMs() - this.#beginMs > ENDING_MS;
  }

  async #pause<T>(until: Promise<T>): Promise<T> {
    const { slice } = this.#tree.services;
    slice.stopComputing();
    return await until.finally(slice.startComputing);
  }
}

/** The error with which the target of an edge fails. */
function failure({ index, source, sourcePort, input }: RunEdge, reason: string): string {
  const edge = `edges[${index}] from ${JSON.stringify(sourcePort)} of ${source.title} to ${JSON.stringify(input.name)}`;
  return codedError('expression_failed', `${edge}: ${reason}`);
}

/** Evaluates the expressions on the outgoing edges of an execution. Returns undefined if no edge has an expression. */
export function evaluateEdges(tree: Tree, completion: Completion): Promise<EdgeResults> | undefined {
  if (completion.node.outgoing.every(({ expression }) => expression === undefined)) return undefined;
  const edges = givenBy(completion).filter(({ edge, values }) =>
    edge.expression !== undefined && values.some((value) => value !== undefined)
  );
  return edges.length === 0 ? undefined : new Evaluation(tree, edges).results();
}
