import { ActionIcon } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense } from 'react';
import { Icon } from '../../../shared/icon.tsx';
import type { Saving } from '../use_saving.ts';

const HistoryDialog = lazy(() => import('./history_dialog.tsx'));

/** Opens the versions of the flow. */
export function HistoryButton({ saving }: { saving: Saving }) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <ActionIcon
        variant='subtle'
        color='gray'
        size='lg'
        className='editor-tool'
        aria-label='History'
        title='History'
        onClick={open}
      >
        <Icon name='history' />
      </ActionIcon>
      {isOpen && (
        <Suspense>
          <HistoryDialog saving={saving} onClose={close} />
        </Suspense>
      )}
    </>
  );
}
