import type { Value } from '../../types/values/value.ts';
import type { EarlierPositions } from './earlier_positions.ts';
import type { RunEdge } from './graph.ts';
import { copyMap } from './node_values.ts';
import type { Lack } from './readiness.ts';
import type { TakeOver } from './redrive.ts';
import type { Completion } from './run_record.ts';
import { SIGNATURE } from './settlement.ts';

/** Says why an execution gave no value for an output, if it gave none. A handled failure is a branch that was taken. */
export const lackOf = ({ skipped, outcome }: Completion): Lack =>
  skipped ?? ('error' in outcome && outcome.errorOutput === undefined ? 'failed' : 'unset');

export interface HandOnOptions {
  /** Undefined in a run that was not redriven. */
  takeOver: TakeOver | undefined;
  countElements: (count: number) => void;
}

/** Puts the outputs of a completed execution, or the fact that it gave none, into the queues behind its node. */
export function handOn(completion: Completion, { takeOver, countElements }: HandOnOptions): void {
  const { node, isElement, positions, outcome, skipped, part } = completion;
  const outputs = 'outputs' in outcome ? outcome.outputs : copyMap({});
  const errorOutput = 'error' in outcome ? outcome.errorOutput : undefined;
  const hasSucceeded = skipped === undefined && !('error' in outcome);
  /** The positions of entries in the runs that this one was redriven from; undefined in all other runs. */
  const positionsOf = (edge: RunEdge, values: (Value | undefined)[]): EarlierPositions[] | undefined =>
    positions && takeOver?.positionsOfEntries(edge, positions, values);

  for (const edge of node.outgoing) {
    const comesLast = edge.isError || edge.sourcePort === SIGNATURE;
    if (part === (comesLast ? 'handed_over' : 'rest')) continue;
    const value = edge.isError ? errorOutput : outputs[edge.sourcePort];
    if (value !== undefined && edge.isSpread) {
      const elements = 'A' in value ? value.A : [value];
      countElements(elements.length);
      const elementPositions = positionsOf(edge, elements);
      for (const [index, element] of elements.entries()) {
        edge.queue.push({ value: element, absence: undefined, isElement: true, positions: elementPositions?.[index] });
      }
      continue;
    }
    const isNotHandedOn = edge.isPassthrough && hasSucceeded;
    // Inside a loop every iteration leaves an entry, so that the ones after it keep their positions.
    if (value === undefined && !isElement && !edge.isOptional && !isNotHandedOn) continue;
    const absence = value === undefined ? isNotHandedOn ? 'not_handed_on' : lackOf(completion) : undefined;
    edge.queue.push({ value, absence, isElement, positions: positionsOf(edge, [value])?.[0] });
  }
}
