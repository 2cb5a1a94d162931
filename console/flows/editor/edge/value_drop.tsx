import { Portal, Stack } from '@mantine/core';
import { type DragEvent, type ReactNode, useEffect, useState } from 'react';
import type { DrawnInput, DrawnNode, Point } from '../../../shared/graph/drawn_node.ts';
import { useEditor } from '../editor_context.tsx';
import { useLastRun } from '../last_run/last_run_context.tsx';
import { DRAGGED_VALUE, readTakenValue, takeValue, whyTakenIsRefused } from './take_value.ts';

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

/** The greatest width of a refusal, with a margin, in pixels. */
const WIDTH = 300;

/** The reason why a value was refused, at the pointer. The next click or key removes it. */
function Refusal({ at, reason, onEnd }: { at: Point; reason: string; onEnd: () => void }) {
  useEffect(() => {
    const stop = new AbortController();
    const options = { signal: stop.signal, capture: true };
    document.addEventListener('pointerdown', onEnd, options);
    document.addEventListener('keydown', onEnd, options);
    return () => stop.abort();
  }, [onEnd]);
  const left = Math.max(8, Math.min(at.x, innerWidth - WIDTH));
  return <div className='connecting-reason editor-drop-refusal' style={{ left, top: at.y + 12 }}>{reason}</div>;
}

/** The fields of a node, on which a value of the last run can be dropped. */
export function ValueDrop({ node, children }: { node: DrawnNode; children: ReactNode }) {
  const { store, isOwner } = useEditor();
  const { outputs } = useLastRun();
  const [refusal, setRefusal] = useState<{ at: Point; reason: string }>();
  const [end] = useState(() => () => setRefusal(undefined));
  const onDrop = (event: DragEvent) => {
    const taken = readTakenValue(event.dataTransfer.getData(DRAGGED_VALUE));
    const input = taken && inputAt(event.target, node);
    if (taken === undefined || input === undefined || !isOwner) return;
    event.preventDefault();
    const reason = whyTakenIsRefused(store, outputs, taken, input);
    if (reason === undefined) takeValue(store, taken, node.id, input.id);
    setRefusal(reason === undefined ? undefined : { at: { x: event.clientX, y: event.clientY }, reason });
  };
  return (
    <Stack
      gap='md'
      onDragOver={(event) => event.dataTransfer.types.includes(DRAGGED_VALUE) && event.preventDefault()}
      onDrop={onDrop}
    >
      {children}
      <Portal>
        <div role='status'>{refusal && <Refusal {...refusal} onEnd={end} />}</div>
      </Portal>
    </Stack>
  );
}
