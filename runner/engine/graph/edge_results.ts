import type { Value } from '../../../types/values/value.ts';
import type { RunEdge } from './graph.ts';

/** The result of an edge's expression for one value. An absent result has no `value`. A failure has a `fault`. */
export interface EdgeResult {
  value: Value | undefined;
  fault?: string;
}

/**
 * The results of the expressions on the outgoing edges of an execution. Each edge has one result for each value that it
 * carries.
 */
export type EdgeResults = ReadonlyMap<RunEdge, readonly EdgeResult[]>;
