import type { Value, ValueMap } from 'flow-deployments-client';
import { acceptsTagOf } from '../../../../types/values/port_types.ts';
import { type DrawnInput, isObject, readEdge } from '../../../shared/graph/drawn_node.ts';
import { edgeStarts } from '../edge_refusals.ts';
import type { EditorStore } from '../editor_store.ts';
import { makeEdge } from '../flow_document.ts';
import { nodesById } from '../view.ts';
import { pathExpression, withExpression } from './edge_expression.ts';

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

/** Returns the part of a value to which a path leads; undefined if the value has no such part. */
export const partAt = (value: Value | undefined, path: TakenValue['path']): Value | undefined =>
  path.reduce<Value | undefined>((whole, step) => {
    if (whole === undefined) return undefined;
    if (typeof step === 'number') return 'A' in whole ? whole.A[step] : undefined;
    return 'M' in whole ? whole.M[step] : undefined;
  }, value);

const JSON_TYPE_OF = { B: 'a boolean', S: 'a text', A: 'a list', M: 'an object', N: 'null' } as const;
const KEYS_AND_BYTES: readonly string[] = ['B3', 'B6', 'BY'];

function kindOf(value: Value): string {
  const [tag = ''] = Object.keys(value);
  if (KEYS_AND_BYTES.includes(tag)) return 'a key or bytes';
  return Object.hasOwn(JSON_TYPE_OF, tag) ? JSON_TYPE_OF[tag as keyof typeof JSON_TYPE_OF] : 'a number';
}

/** Returns the reason why an input accepts no value with this tag; undefined if the input may accept the value. */
export const whyNotTaken = (value: Value | undefined, { name, types }: DrawnInput): string | undefined =>
  value === undefined || acceptsTagOf(types, value)
    ? undefined
    : `The value is ${kindOf(value)}, but the input “${name}” wants ${types.join(' or ')}.`;

/** Returns the reason why an input refuses a value of the last run, as `whyNotTaken` does. */
export function whyTakenIsRefused(
  store: EditorStore,
  outputs: (nodeId: string) => ValueMap | undefined,
  taken: TakenValue,
  input: DrawnInput,
): string | undefined {
  const node = nodesById(store.state().document).get(taken.source);
  const port = node && edgeStarts(node).find(({ handle }) => handle === taken.sourceHandle);
  // A node `foreach` gives the elements of its list one by one, so the tag of the list says nothing about them.
  if (port === undefined || node?.nodeId === 'foreach') return undefined;
  return whyNotTaken(partAt(outputs(taken.source)?.[port.name], taken.path), input);
}

/** Draws an edge through which an input gets a part of a value. The new edge replaces the input's former edge. */
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
