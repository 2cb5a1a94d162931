import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense } from 'react';
import { Tool } from '../tools/tool.tsx';
import type { Saving } from '../use_saving.ts';

const HistoryDialog = lazy(() => import('./history_dialog.tsx'));

/** Opens the versions of the flow. */
export function HistoryButton({ saving }: { saving: Saving }) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Tool icon='history' label='History' onClick={open} />
      {isOpen && (
        <Suspense>
          <HistoryDialog saving={saving} onClose={close} />
        </Suspense>
      )}
    </>
  );
}
