import { objectAt, type PlainObject } from '../../../shared/graph/drawn_node.ts';
import type { FlowDocument } from '../flow_document.ts';
import { drawnNode } from '../view.ts';

/** A node of the flow that a search has found. */
export interface FoundNode {
  id: string;
  title: string;
  /** The part of the node that has the text, such as `value of url`. */
  where: string;
}

/** Lists the texts in a value of a form. */
const textsOf = (json: unknown): string[] => {
  if (typeof json === 'string') return [json];
  if (typeof json === 'object' && json !== null) return Object.values(json).flatMap(textsOf);
  return json === null || json === undefined ? [] : [String(json)];
};

/** Lists the texts of a node with their places: name, type, ports, and then values. */
function* placesOf(json: PlainObject): Generator<[where: string, text: string]> {
  const node = drawnNode(json);
  yield ['name', node.title];
  yield ['type', node.nodeId];
  for (const { name, types } of [...node.inputs, ...node.outputs]) {
    yield [`port ${name}`, name];
    yield [`type of ${name}`, types.join(' ')];
  }
  const { form_data: values } = objectAt(json, 'data', 'targets_form');
  if (typeof values === 'object' && values !== null) {
    for (const [name, value] of Object.entries(values)) {
      for (const text of textsOf(value)) yield [`value of ${name}`, text];
    }
  } else {
    for (const text of textsOf(values)) yield ['value', text];
  }
}

/** Finds the nodes that have a text in their name, type, ports or values. Upper and lower case count as equal. */
export function findNodes({ nodes }: FlowDocument, search: string): FoundNode[] {
  const wanted = search.trim().toLowerCase();
  if (wanted === '') return [];
  return nodes.flatMap((json) => {
    for (const [where, text] of placesOf(json)) {
      if (!text.toLowerCase().includes(wanted)) continue;
      const { id, title } = drawnNode(json);
      return [{ id, title, where }];
    }
    return [];
  });
}
