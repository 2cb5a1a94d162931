import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useApi } from '../../../shared/api.tsx';
import { ErrorAlert } from '../../../shared/errors/error_alert.tsx';
import { flowLimits } from '../../../../types/limits/flows.ts';
import { useEditor } from '../editor_context.tsx';
import type { Saving } from '../use_saving.ts';
import { contentsQuery, deleteVersion, historyKey, nameVersion, restoreVersion, type Version } from './versions.ts';

/** A question below a version. */
function Question({ children, label, act, onDone, onCancel }: {
  children: ReactNode;
  /** The text of the button that confirms. */
  label: string;
  act: () => Promise<boolean>;
  onDone: () => void;
  onCancel: () => void;
}) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: act,
    onSuccess: (isDone) => isDone && onDone(),
  });
  return (
    <Stack role='group' aria-label={label} gap='xs' pl='md'>
      <Text size='sm'>{children}</Text>
      <ErrorAlert error={error} />
      <Group gap='xs'>
        <Button size='xs' variant='default' onClick={onCancel}>Cancel</Button>
        <Button size='xs' loading={isPending} onClick={() => mutate()}>{label}</Button>
      </Group>
    </Stack>
  );
}

/** Asks before the drawing is replaced by a version. */
export function RestoreQuestion({ version, saving, onDone, onCancel }: {
  version: Version;
  saving: Saving;
  onDone: () => void;
  onCancel: () => void;
}) {
  const { flow, store } = useEditor();
  const api = useApi();
  const queryClient = useQueryClient();
  const restore = async (): Promise<boolean> => {
    // The contents are read before the restore, which also stores the present drawing as a version. If the flow then
    // has too many versions, the database may delete the version that is being restored.
    const { document, settings } = await queryClient.fetchQuery(contentsQuery(api, version.id));
    if (!await saving.save()) return false;
    const savedAt = await restoreVersion(api.db, version.id, store.state().version);
    store.change(() => document);
    store.markSaved({
      document: store.state().document,
      settings: { ...store.state().settings, ...settings },
      version: savedAt,
    });
    await queryClient.invalidateQueries({ queryKey: historyKey(flow.id) });
    return true;
  };
  return (
    <Question label='Restore now' act={restore} onDone={onDone} onCancel={onCancel}>
      This version replaces the drawing and the flow’s environment, and is saved. The present state is kept as a version
      first: restore that version to get both back. Undo restores only the drawing.
    </Question>
  );
}

/** Asks before a version is deleted. */
export function DeleteQuestion({ version, onCancel }: { version: Version; onCancel: () => void }) {
  const { flow } = useEditor();
  const { db } = useApi();
  const queryClient = useQueryClient();
  const remove = async (): Promise<boolean> => {
    await deleteVersion(db, version.id);
    await queryClient.invalidateQueries({ queryKey: historyKey(flow.id) });
    return true;
  };
  return (
    <Question label='Delete now' act={remove} onDone={onCancel} onCancel={onCancel}>
      A deleted version can’t be restored. Its deployments stay.
    </Question>
  );
}

/** Gives a version a name. Named versions are not deleted when a flow has too many versions. */
export function NameField({ version, onDone }: { version: Version; onDone: () => void }) {
  const { flow } = useEditor();
  const { db } = useApi();
  const queryClient = useQueryClient();
  const [name, setName] = useState(version.name ?? '');
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      await nameVersion(db, version.id, name.trim());
      await queryClient.invalidateQueries({ queryKey: historyKey(flow.id) });
    },
    onSuccess: onDone,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <form onSubmit={submit}>
      <Group align='flex-end' gap='xs' pl='md'>
        <TextInput
          label='New name'
          size='xs'
          data-autofocus
          maxLength={flowLimits.name_characters.value}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type='submit' size='xs' variant='default' loading={isPending}>Save the name</Button>
      </Group>
      <ErrorAlert error={error} />
    </form>
  );
}
