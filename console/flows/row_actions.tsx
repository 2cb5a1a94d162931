import { ActionIcon, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { Icon } from '../shared/icon.tsx';
import { fileName, saveFile } from '../shared/save_file.ts';
import { deleteFlow, insertCopy, readFlow, toEditorFile } from './flow_rows.ts';
import { MoveFlow } from './move_flow.tsx';
import { ToolDialog, type ToolSettings } from './tool_dialog.tsx';

function DeleteDialog({ id, title, onClose }: { id: number; title: string; onClose: () => void }) {
  const { db } = useApi();
  const queryClient = useQueryClient();
  const deleting = useMutation({
    mutationFn: () => deleteFlow(db, id),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['flows'] });
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={`Delete ${title}?`}>
      <Stack>
        <Text>Its runs are deleted with it.</Text>
        <ErrorAlert error={deleting.error} />
        <Group justify='flex-end'>
          <Button variant='default' onClick={onClose}>Cancel</Button>
          <Button color='red' loading={deleting.isPending} onClick={() => deleting.mutate()}>Delete</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

interface RowActionsProps {
  id: number;
  title: string;
  folder: string;
  tool: ToolSettings;
}

/** The actions on a flow in the list, other than opening it. */
export function RowActions({ id, title, folder, tool }: RowActionsProps) {
  const { db } = useApi();
  const [isDeleting, { open, close }] = useDisclosure();
  const queryClient = useQueryClient();
  const read = async () => {
    const flow = await readFlow(db, id, new AbortController().signal);
    if (flow === undefined) throw new Error('The flow is gone.');
    return flow;
  };
  const exporting = useMutation({
    mutationFn: async () =>
      saveFile(fileName(title, 'json'), 'application/json', JSON.stringify(toEditorFile(await read()), undefined, 2)),
  });
  const duplicating = useMutation({
    mutationFn: async () => await insertCopy(db, await read()),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['flows', 'list'] }),
  });
  return (
    <Group gap={6}>
      <MoveFlow id={id} title={title} folder={folder} />
      <ToolDialog id={id} title={title} stored={tool} />
      <Button
        size='xs'
        px='xs'
        variant='default'
        aria-describedby={`flow-${id}`}
        loading={duplicating.isPending}
        onClick={() => duplicating.mutate()}
      >
        Duplicate
      </Button>
      <Button
        size='xs'
        px='xs'
        variant='default'
        aria-describedby={`flow-${id}`}
        loading={exporting.isPending}
        onClick={() => exporting.mutate()}
      >
        Export
      </Button>
      <ActionIcon variant='subtle' color='red' size='md' aria-label={`Delete ${title}`} onClick={open}>
        <Icon name='trash' />
      </ActionIcon>
      <ErrorAlert error={exporting.error ?? duplicating.error} />
      {isDeleting && <DeleteDialog id={id} title={title} onClose={close} />}
    </Group>
  );
}
