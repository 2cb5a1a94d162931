import { objectAt, type PlainObject } from '../../../shared/graph/drawn_node.ts';
import type { EditorState, EditorStore } from '../editor_store.ts';
import { type FlowDocument, nodeIdOf } from '../flow_document.ts';

/** The nodes that can't be disabled. A flow input has no input that it could hand on, and a note does nothing. */
const ALWAYS_ENABLED: readonly unknown[] = ['flow_input', 'note'];

export const isDisabled = (json: PlainObject): boolean => objectAt(json, 'data').disabled === true;

/** Disables a node, or enables it again. A run hands the first input of a disabled node on instead of executing it. */
function withDisabled(json: PlainObject, isOff: boolean): PlainObject {
  const { disabled: _, ...data } = objectAt(json, 'data');
  return { ...json, data: isOff ? { ...data, disabled: true } : data };
}

/** Returns those of the selected nodes that can be disabled. */
const changeable = ({ document, selected }: Pick<EditorState, 'document' | 'selected'>): PlainObject[] =>
  document.nodes.filter((json) =>
    selected.has(nodeIdOf(json)) && !ALWAYS_ENABLED.includes(objectAt(json, 'data').node_id)
  );

/**
 * Returns what `toggleDisabled` would do with the selected nodes: `enable` if all of them are disabled. Undefined if none
 * of them can be disabled.
 */
export function nextToggle(state: Pick<EditorState, 'document' | 'selected'>): 'enable' | 'disable' | undefined {
  const nodes = changeable(state);
  return nodes.length === 0 ? undefined : nodes.every(isDisabled) ? 'enable' : 'disable';
}

/** Disables the selected nodes. If all of them are disabled, enables them. */
export function toggleDisabled(store: EditorStore): void {
  const toggle = nextToggle(store.state());
  if (toggle === undefined) return;
  const ids = new Set(changeable(store.state()).map(nodeIdOf));
  store.change((document: FlowDocument) => ({
    ...document,
    nodes: document.nodes.map((json) => ids.has(nodeIdOf(json)) ? withDisabled(json, toggle === 'disable') : json),
  }));
}
