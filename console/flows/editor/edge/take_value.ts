import { isObject, readEdge } from '../../../shared/graph/drawn_node.ts';
import type { EditorStore } from '../editor_store.ts';
import { makeEdge } from '../flow_document.ts';
import { pathExpression, withExpression } from './edge_expression.ts';

/** The data type of a value that is dragged from the values of the last run. */
export const DRAGGED_VALUE = 'application/x-flow-value';

/** A part of a value that an output gave. */
export interface TakenValue {
  source: string;
  sourceHandle: string;
  /** The names and indexes that lead to the part; empty for the whole value. */
  path: (string | number)[];
}

/** Reads a dragged value; undefined for any other text. */
export function readTakenValue(text: string): TakenValue | undefined {
  if (text === '') return undefined;
  const json: unknown = JSON.parse(text);
  if (!isObject(json) || typeof json.source !== 'string' || typeof json.sourceHandle !== 'string') return undefined;
  const path = Array.isArray(json.path) ? json.path : [];
  return {
    source: json.source,
    sourceHandle: json.sourceHandle,
    path: path.filter((step) => typeof step === 'string' || typeof step === 'number'),
  };
}

/** Draws an edge that gives an input a part of a value. The new edge replaces the one that led to the input. */
export function takeValue(store: EditorStore, value: TakenValue, target: string, targetHandle: string): void {
  const { source, sourceHandle, path } = value;
  store.change((document) => ({
    ...document,
    edges: [
      ...document.edges.filter((json) => {
        const edge = readEdge(json);
        return edge.target !== target || edge.targetHandle !== targetHandle;
      }),
      withExpression(makeEdge({ source, sourceHandle, target, targetHandle }), pathExpression(path)),
    ],
  }));
}
