import { Portal, Stack } from '@mantine/core';
import { type DragEvent, lazy, type ReactNode, Suspense, useState } from 'react';
import type { DrawnNode, Point } from '../../../shared/graph/drawn_node.ts';
import { useEditor } from '../editor_context.tsx';
import { useLastRun } from '../last_run/last_run_context.tsx';

const DropRefusal = lazy(() => import('./drop_refusal.tsx'));

/** The data type of a value that is dragged from the values of the last run. */
export const DRAGGED_VALUE = 'application/x-flow-value';

/** The fields of a node, on which a value of the last run can be dropped. */
export function ValueDrop({ node, children }: { node: DrawnNode; children: ReactNode }) {
  const { store, isOwner } = useEditor();
  const { outputs } = useLastRun();
  const [refusal, setRefusal] = useState<{ at: Point; reason: string }>();
  const [end] = useState(() => () => setRefusal(undefined));
  const onDrop = (event: DragEvent) => {
    const text = event.dataTransfer.getData(DRAGGED_VALUE);
    if (text === '' || !isOwner) return;
    event.preventDefault();
    const { target, clientX: x, clientY: y } = event;
    void import('./drop_value.ts').then(({ dropValue }) => {
      const reason = dropValue(store, outputs, text, target, node);
      setRefusal(reason === undefined ? undefined : { at: { x, y: y + 12 }, reason });
    });
  };
  return (
    <Stack
      gap='md'
      onDragOver={(event) => event.dataTransfer.types.includes(DRAGGED_VALUE) && event.preventDefault()}
      onDrop={onDrop}
    >
      {children}
      <Portal>
        <div role='status'>
          {refusal && (
            <Suspense>
              <DropRefusal {...refusal} onEnd={end} />
            </Suspense>
          )}
        </div>
      </Portal>
    </Stack>
  );
}
