import { Stack } from '@mantine/core';
import type { DragEvent, ReactNode } from 'react';
import type { DrawnInput, DrawnNode } from '../../../shared/graph/drawn_node.ts';
import { useEditor } from '../editor_context.tsx';
import { DRAGGED_VALUE, readTakenValue, takeValue } from './take_value.ts';

/** Finds the input whose field is under the pointer: a field of the form, or the choice of its edge. */
function inputAt(target: EventTarget, node: DrawnNode): DrawnInput | undefined {
  if (!(target instanceof Element)) return undefined;
  const id = target.closest<HTMLElement>('[data-input]')?.dataset.input;
  if (id !== undefined) return node.inputs.find((input) => input.id === id);
  for (let element: Element | null = target; element !== null; element = element.parentElement) {
    // If the pointer is on a label, the field with the id is elsewhere in the same row.
    const fields = [element, ...element.querySelectorAll('[id]')].map((field) => field.id);
    const found = node.inputs.filter(({ name }) => fields.includes(`node-${node.id}_${name}`));
    if (found.length > 0) return found.length === 1 ? found[0] : undefined;
  }
  return undefined;
}

/** The fields of a node, on which a value of the last run can be dropped. */
export function ValueDrop({ node, children }: { node: DrawnNode; children: ReactNode }) {
  const { store, isOwner } = useEditor();
  const onDrop = (event: DragEvent) => {
    const taken = readTakenValue(event.dataTransfer.getData(DRAGGED_VALUE));
    const input = taken && inputAt(event.target, node);
    if (taken === undefined || input === undefined || !isOwner) return;
    event.preventDefault();
    takeValue(store, taken, node.id, input.id);
  };
  return (
    <Stack
      gap='md'
      onDragOver={(event) => event.dataTransfer.types.includes(DRAGGED_VALUE) && event.preventDefault()}
      onDrop={onDrop}
    >
      {children}
    </Stack>
  );
}
