import { TextInput, UnstyledButton } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { flowLimits } from '../../../../types/limits/flows.ts';
import { useApi } from '../../../shared/api.tsx';
import { showError } from '../../../shared/errors/shown_error.ts';
import { saveFlow } from '../../flow_rows.ts';
import { useEditor, useEditorState } from '../editor_context.tsx';

/** Stores a new name of the flow. */
function useRename(onDone: () => void) {
  const { flow, store } = useEditor();
  const { db } = useApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (name: string) => {
      const { settings, version } = store.state();
      if (name === settings.name) return;
      const result = await saveFlow(db, flow.id, version, { name });
      if (result === 'saved by somebody else') {
        throw new Error('Somebody else has saved this flow since you opened it. Save your drawing first.');
      }
      store.markSaved({ settings: { ...store.state().settings, name }, version: result.updatedAt });
      await queryClient.invalidateQueries({ queryKey: ['flows', 'list'] });
    },
    onSuccess: onDone,
  });
}

function NameField({ onClose }: { onClose: () => void }) {
  const { settings } = useEditorState();
  const [name, setName] = useState(settings.name);
  const renaming = useRename(onClose);
  return (
    <TextInput
      autoFocus
      size='xs'
      aria-label='Name of the flow'
      className='editor-name'
      maxLength={flowLimits.name_characters.value}
      value={name}
      error={renaming.error && showError(renaming.error).message}
      disabled={renaming.isPending}
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => setName(event.currentTarget.value)}
      onBlur={() => renaming.mutate(name)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
        if (event.key === 'Escape') onClose();
      }}
    />
  );
}

/** The name of the flow. A click or Enter turns the name into a field. */
export function FlowName({ title }: { title: string }) {
  const { isOwner } = useEditor();
  const [isEditing, setIsEditing] = useState(false);
  if (!isOwner) return title;
  if (isEditing) return <NameField onClose={() => setIsEditing(false)} />;
  return (
    <UnstyledButton
      className='editor-name-button'
      aria-description='Rename'
      onClick={() => setIsEditing(true)}
    >
      {title}
    </UnstyledButton>
  );
}
