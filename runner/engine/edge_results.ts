import type { Value } from '../../types/values/value.ts';
import type { RunEdge } from './graph.ts';

/** The result of an edge's expression for one value: an absent result has no `value`, and a failure has a `fault`. */
export interface EdgeResult {
  value: Value | undefined;
  fault?: string;
}

/** The results of the expressions on the edges behind an execution, one for each value that an edge hands on. */
export type EdgeResults = ReadonlyMap<RunEdge, readonly EdgeResult[]>;
