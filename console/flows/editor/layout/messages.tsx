import { CloseButton, Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useEditor, useEditorState } from '../editor_context.tsx';

/** The last message to the user, such as why an edge was refused. */
function Notice() {
  const { store } = useEditor();
  const { notice } = useEditorState();
  return (
    <div role='status'>
      {notice !== '' && (
        <Paper withBorder shadow='sm' className='editor-notice'>
          <Text size='sm' c='var(--mantine-color-error)'>{notice}</Text>
          <CloseButton size='sm' aria-label='Close the message' onClick={() => store.tell('')} />
        </Paper>
      )}
    </div>
  );
}

/** Messages over the upper part of the canvas, which keeps its place when a message appears. */
export const Messages = ({ children }: { children: ReactNode }) => (
  <div className='editor-messages'>
    {children}
    <Notice />
  </div>
);
