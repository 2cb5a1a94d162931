import type { ValueMap } from 'flow-deployments-client';
import type { DrawnInput, DrawnNode } from '../../../shared/graph/drawn_node.ts';
import type { EditorStore } from '../editor_store.ts';
import { readTakenValue, takeValue, whyTakenIsRefused } from './take_value.ts';

/**
 * Finds the input that has its form field under the pointer, or the list with which the user chooses the input's edge.
 */
function inputAt(target: EventTarget, node: DrawnNode): DrawnInput | undefined {
  if (!(target instanceof Element)) return undefined;
  const id = target.closest<HTMLElement>('[data-input]')?.dataset.input;
  if (id !== undefined) return node.inputs.find((input) => input.id === id);
  for (let element: Element | null = target; element !== null; element = element.parentElement) {
    // If the pointer is on a label, the label has no such id, but a field in the same row has one.
    const fields = [element, ...element.querySelectorAll('[id]')].map((field) => field.id);
    const found = node.inputs.filter(({ name }) => fields.includes(`node-${node.id}_${name}`));
    if (found.length > 0) return found.length === 1 ? found[0] : undefined;
  }
  return undefined;
}

/** Gives a dropped value to the input under the pointer. If the input refuses the value, returns the reason. */
export function dropValue(
  store: EditorStore,
  outputs: (nodeId: string) => ValueMap | undefined,
  text: string,
  target: EventTarget,
  node: DrawnNode,
): string | undefined {
  const taken = readTakenValue(text);
  const input = taken && inputAt(target, node);
  if (taken === undefined || input === undefined) return undefined;
  const reason = whyTakenIsRefused(store, outputs, taken, input);
  if (reason === undefined) takeValue(store, taken, node.id, input.id);
  return reason;
}
