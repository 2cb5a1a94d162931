import type { ValueMap } from 'flow-deployments-client';
import { parseExactly } from '../../../../shared/exact_json.ts';
import { isObject, readEdge } from '../../../../shared/graph/drawn_node.ts';
import { plainOf, tagLike } from '../../../../shared/plain_json.ts';
import { expressionOf } from '../../edge/edge_expression.ts';
import type { FlowDocument } from '../../flow_document.ts';
import { nodesById } from '../../view.ts';

/** The values, by name, of a JSON text that the user typed; or the fault of the text. */
export type TypedValues = { values: { [name: string]: unknown } } | { fault: string };

/** Reads an object of plain JSON. */
export function readTyped(text: string): TypedValues {
  try {
    const values = parseExactly(text);
    return isObject(values) ? { values } : { fault: 'This must be an object, such as {"name": "value"}.' };
  } catch (error) {
    return { fault: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/**
 * Returns the typed values that differ from the former values. If the tag of a former value fits the typed value, the
 * typed value gets this tag.
 */
export const changedValues = (typed: { [name: string]: unknown }, former: ValueMap): ValueMap =>
  Object.fromEntries(
    Object.entries(typed)
      .filter(([name, value]) =>
        former[name] === undefined || JSON.stringify(plainOf(former[name])) !== JSON.stringify(value)
      )
      .map(([name, value]) => [name, tagLike(value, former[name])]),
  );

/**
 * Returns the values that edges carry to the inputs of a node, from the given outputs of other nodes. If an edge has an
 * expression, its input is left out, because the edge carries the result of the expression and not the output.
 */
export function carriedValues(
  document: FlowDocument,
  nodeId: string,
  outputs: (nodeId: string) => ValueMap | undefined,
): ValueMap {
  const nodes = nodesById(document);
  const carried: ValueMap = {};
  for (const json of document.edges) {
    const { source, sourceHandle, target, targetHandle } = readEdge(json);
    const name = target === nodeId ? nodes.get(target)?.inputs.find(({ id }) => id === targetHandle)?.name : undefined;
    const output = nodes.get(source)?.outputs.find(({ id }) => id === sourceHandle)?.name ?? '';
    const value = outputs(source)?.[output];
    if (name !== undefined && value !== undefined && expressionOf(json) === '') carried[name] = value;
  }
  return carried;
}
