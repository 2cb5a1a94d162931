import type { ChildRow, LogLine, NodeRun } from '../../engine/state/journal.ts';
import { measureMap } from '../../engine/limits/value_size.ts';

// Approximate bytes of JSON of the rows that a worker stores. Each value is measured only once, when a node returns it,
// so these sizes cost less than writing the JSON.

/** Bytes of a row without its values. */
export const ROW_BYTES = 200;

export const nodeRunBytes = ({ input, output }: NodeRun): number =>
  ROW_BYTES + measureMap(input.M) + (output === null ? 0 : measureMap(output.M));

export const childBytes = ({ inputs, output }: ChildRow): number =>
  ROW_BYTES + measureMap(inputs.M) + (output === null ? 0 : measureMap(output.M));

export const logLineBytes = ({ content }: LogLine): number => ROW_BYTES + content.length;
