import type { Value } from '../../types/values/value.ts';
import type { EdgeResult } from './edge_results.ts';
import type { Absence } from './entry_queue.ts';
import type { RunEdge } from './graph.ts';
import type { Lack } from './readiness.ts';
import type { TakeOver } from './redrive.ts';
import type { Completion } from './run_record.ts';
import { SIGNATURE } from './settlement.ts';

/**
 * Returns the reason why an output of an execution would have no value. A handled failure counts as `unset`, because
 * the branch behind `error` was taken instead.
 */
export const lackOf = ({ skipped, outcome }: Completion): Lack =>
  skipped ?? ('error' in outcome && outcome.errorOutput === undefined ? 'failed' : 'unset');

/** Tests whether an edge gets its value in this part of a completion. */
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
  /** The output, or its elements. Holds one undefined value if the execution gave no output. */
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

export interface HandOnOptions {
  /** Undefined in a run that is not a redrive. */
  takeOver: TakeOver | undefined;
  countElements: (count: number) => void;
}

/** Adds entries for the outputs of a completed execution, or for their absence, to the queues of the outgoing edges. */
export function handOn(completion: Completion, { takeOver, countElements }: HandOnOptions): void {
  const { isElement, positions, outcome, skipped, results } = completion;
  const hasSucceeded = skipped === undefined && !('error' in outcome);

  for (const { edge, values, isSpread } of givenBy(completion)) {
    if (isSpread) countElements(values.length);
    const isNotHandedOn = edge.isPassthrough && hasSucceeded;
    // Inside a loop, every iteration adds an entry, so that later entries keep their positions.
    if (values[0] === undefined && !isElement && !isSpread && !edge.isOptional && !isNotHandedOn) continue;
    const handed: readonly EdgeResult[] = results?.get(edge) ?? values.map((value) => ({ value }));
    // The positions of entries in the earlier runs of a redrive; undefined if this run is not a redrive.
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

/** Returns the reason why an entry has no value. An expression without a result counts as `unset`. */
function absenceOf(completion: Completion, given: Value | undefined, isNotHandedOn: boolean): Absence {
  if (given !== undefined) return 'unset';
  return isNotHandedOn ? 'not_handed_on' : lackOf(completion);
}
