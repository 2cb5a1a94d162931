import type { Value } from '../../types/values/value.ts';
import type { EdgeResult } from './edge_results.ts';
import type { Absence } from './entry_queue.ts';
import type { RunEdge } from './graph.ts';
import type { Lack } from './readiness.ts';
import type { TakeOver } from './redrive.ts';
import type { Completion } from './run_record.ts';
import { SIGNATURE } from './settlement.ts';

/** Says why an execution gave no value for an output, if it gave none. A handled failure is a branch that was taken. */
export const lackOf = ({ skipped, outcome }: Completion): Lack =>
  skipped ?? ('error' in outcome && outcome.errorOutput === undefined ? 'failed' : 'unset');

/** Whether an edge hands on with this part of an execution. */
const belongsTo = (part: Completion['part'], { isError, sourcePort }: RunEdge): boolean =>
  part !== (isError || sourcePort === SIGNATURE ? 'handed_over' : 'rest');

/** The value of the output that an edge hands on; undefined if the execution gave none. */
function outputAlong({ isError, sourcePort }: RunEdge, { outcome }: Completion): Value | undefined {
  if (isError) return 'error' in outcome ? outcome.errorOutput : undefined;
  return 'outputs' in outcome ? outcome.outputs[sourcePort] : undefined;
}

/** The value that an execution sends along one edge, before the edge's expression. */
export interface GivenAlong {
  edge: RunEdge;
  /** The output, or its elements. One undefined value: there is no output. */
  values: readonly (Value | undefined)[];
  /** The values are the elements of an array. */
  isSpread: boolean;
}

/** Lists what an execution hands on along each edge behind its node. */
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

/** Puts the outputs of a completed execution, or the fact that it gave none, into the queues behind its node. */
export function handOn(completion: Completion, { takeOver, countElements }: HandOnOptions): void {
  const { isElement, positions, outcome, skipped, results } = completion;
  const hasSucceeded = skipped === undefined && !('error' in outcome);

  for (const { edge, values, isSpread } of givenBy(completion)) {
    if (isSpread) countElements(values.length);
    const isNotHandedOn = edge.isPassthrough && hasSucceeded;
    // Inside a loop every iteration leaves an entry, so that later entries keep their positions.
    if (values[0] === undefined && !isElement && !isSpread && !edge.isOptional && !isNotHandedOn) continue;
    const handed: readonly EdgeResult[] = results?.get(edge) ?? values.map((value) => ({ value }));
    // The positions of entries in the runs that this one was redriven from; undefined in all other runs.
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

/** Says why an entry has no value. An expression without a result is a branch that was not taken. */
function absenceOf(completion: Completion, given: Value | undefined, isNotHandedOn: boolean): Absence {
  if (given !== undefined) return 'unset';
  return isNotHandedOn ? 'not_handed_on' : lackOf(completion);
}
