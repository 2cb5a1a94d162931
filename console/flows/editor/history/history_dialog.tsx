import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useApi } from '../../../shared/api.tsx';
import { ErrorAlert } from '../../../shared/errors/error_alert.tsx';
import { Loading } from '../../../shared/page/loading.tsx';
import { flowLimits } from '../../../../types/limits/flows.ts';
import { useEditor } from '../editor_context.tsx';
import type { Saving } from '../use_saving.ts';
import { VersionItem } from './version_item.tsx';
import { historyKey, historyQuery, keepVersion } from './versions.ts';

/** A form that stores the drawing as a version with a name. */
function NewVersion({ saving }: { saving: Saving }) {
  const { flow } = useEditor();
  const { db } = useApi();
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      if (!await saving.save()) return;
      await keepVersion(db, flow.id, name.trim());
      setName('');
      await queryClient.invalidateQueries({ queryKey: historyKey(flow.id) });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <form onSubmit={submit}>
      <Group align='flex-end' gap='xs'>
        <TextInput
          label='Name'
          size='xs'
          required
          maxLength={flowLimits.name_characters.value}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type='submit' size='xs' variant='default' loading={isPending} disabled={name.trim() === ''}>
          Keep this version
        </Button>
      </Group>
      <ErrorAlert error={error ?? saving.error} />
    </form>
  );
}

/** The versions of the flow: to compare with the drawing, to name, and to restore. */
export default function HistoryDialog({ saving, onClose }: { saving: Saving; onClose: () => void }) {
  const { flow } = useEditor();
  const { data: versions, error, refetch } = useQuery(historyQuery(useApi(), flow.id));
  return (
    <Modal opened onClose={onClose} title='History' size='xl'>
      <Stack>
        <Text size='sm' c='dimmed'>
          A save keeps the former version at most once in {flowLimits.flow_version_minutes.value}{' '}
          minutes, and a deploy always keeps one. A flow has at most {flowLimits.flow_versions.value}{' '}
          versions; the oldest one without a name goes first.
        </Text>
        <NewVersion saving={saving} />
        <ErrorAlert error={error} onRetry={() => void refetch()} />
        {versions === undefined && error === null && <Loading label='Reading the versions' />}
        {versions?.length === 0 && <Text c='dimmed'>There are no versions yet.</Text>}
        {versions !== undefined && versions.length > 0 && (
          <ul className='console-plain-list' aria-label='Versions'>
            {versions.map((version) => (
              <VersionItem key={version.id} version={version} saving={saving} onRestored={onClose} />
            ))}
          </ul>
        )}
      </Stack>
    </Modal>
  );
}
