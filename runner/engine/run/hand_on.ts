import type { Value } from '../../../types/values/value.ts';
import type { EdgeResult } from '../graph/edge_results.ts';
import type { Absence } from '../graph/entry_queue.ts';
import type { RunEdge } from '../graph/graph.ts';
import type { Lack } from './readiness.ts';
import type { TakeOver } from '../redrive/take_over.ts';
import type { Completion } from './run_record.ts';
import { SIGNATURE } from '../tree/settlement.ts';

/**
 * Returns the reason why the missing outputs of an execution have no value. A handled failure counts as `unset`,
 * because the flow took the branch behind `error`.
 */
export const lackOf = ({ skipped, outcome }: Completion): Lack =>
  skipped ?? ('error' in outcome && outcome.errorOutput === undefined ? 'failed' : 'unset');

/** Tests whether an edge gets its value in this part of a completion. An instruction node completes in two parts. */
const belongsTo = (part: Completion['part'], { isError, sourcePort }: RunEdge): boolean =>
  part !== (isError || sourcePort === SIGNATURE ? 'handed_over' : 'rest');

/** Returns the value of an edge's output; undefined if the execution gave no value for it. */
function outputAlong({ isError, sourcePort }: RunEdge, { outcome }: Completion): Value | undefined {
  if (isError) return 'error' in outcome ? outcome.errorOutput : undefined;
  return 'outputs' in outcome ? outcome.outputs[sourcePort] : undefined;
}

/** The values that an execution sends along one edge, before the edge's expression converts them. */
export interface GivenAlong {
  edge: RunEdge;
  /** The output, or its elements. If the execution gave no output, the array holds one undefined value. */
  values: readonly (Value | undefined)[];
  /** True if the values are the elements of an array. */
  isSpread: boolean;
}

/** Lists the values that an execution gives to each outgoing edge of its node. */
export const givenBy = (completion: Completion): GivenAlong[] =>
  completion.node.outgoing.filter((edge) => belongsTo(completion.part, edge)).map((edge) => {
    const value = outputAlong(edge, completion);
    const isSpread = value !== undefined && edge.isSpread;
    return { edge, isSpread, values: isSpread && 'A' in value ? value.A : [value] };
  });

interface HandOnOptions {
  /** Undefined in a run that is not a redrive. */
  takeOver: TakeOver | undefined;
  countElements: (count: number) => void;
}

/**
 * Adds entries to the queues of the outgoing edges of a completed execution. An output without a value also gets an
 * entry, if the target must learn of it.
 */
export function handOn(completion: Completion, { takeOver, countElements }: HandOnOptions): void {
  const { isElement, positions, outcome, skipped, results } = completion;
  const hasSucceeded = skipped === undefined && !('error' in outcome);

  for (const { edge, values, isSpread } of givenBy(completion)) {
    if (isSpread) countElements(values.length);
    const isNotHandedOn = edge.isPassthrough && hasSucceeded;
    // Outside of a loop, most missing values need no entry. Inside a loop, every iteration adds one, so that later
    // entries keep their positions.
    if (values[0] === undefined && !isElement && !isSpread && !edge.isOptional && !isNotHandedOn) continue;
    const handed: readonly EdgeResult[] = results?.get(edge) ?? values.map((value) => ({ value }));
    // The positions of the entries in the earlier runs. Undefined if this run is not a redrive.
    const entryPositions = positions && takeOver?.positionsOfEntries(edge, positions, { given: values, handed });
    for (const [index, { value, fault }] of handed.entries()) {
      edge.queue.push({
        value,
        absence: value === undefined && fault === undefined
          ? absenceOf(completion, values[index], isNotHandedOn)
          : undefined,
        fault,
        isElement: isElement || isSpread,
        positions: entryPositions?.[index],
      });
    }
  }
}

/**
 * Returns the reason why an entry has no value. If an expression had no result for a given value, the reason is
 * `unset`.
 */
function absenceOf(completion: Completion, given: Value | undefined, isNotHandedOn: boolean): Absence {
  if (given !== undefined) return 'unset';
  return isNotHandedOn ? 'not_handed_on' : lackOf(completion);
}
