import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../../../shared/api.tsx';
import { ErrorAlert } from '../../../shared/errors/error_alert.tsx';
import { useEditor } from '../editor_context.tsx';

export interface Renaming {
  from: string;
  to: string;
}

/** Counts the deployments of the flow that have its former name. */
function useDeploymentsOf(flowId: number, { from }: Renaming) {
  const { db } = useApi();
  return useQuery({
    queryKey: ['deployments', 'of flow by name', flowId, from],
    queryFn: async ({ signal }) => {
      const { count } = await db.from('flow_deployments').select('id', { count: 'exact', head: true })
        .eq('entrypoint', flowId).eq('name', from).abortSignal(signal).throwOnError();
      return count ?? 0;
    },
    gcTime: 0,
  });
}

/**
 * Asks whether to rename the deployments that have the flow's former name. Shows nothing if no deployment has that
 * name.
 */
export default function RenameDeployments({ renaming, onClose }: { renaming: Renaming; onClose: () => void }) {
  const { flow } = useEditor();
  const { db } = useApi();
  const queryClient = useQueryClient();
  const { data: count = 0 } = useDeploymentsOf(flow.id, renaming);
  const renamingAll = useMutation({
    mutationFn: async () => {
      await db.from('flow_deployments').update({ name: renaming.to })
        .eq('entrypoint', flow.id).eq('name', renaming.from).throwOnError();
      await queryClient.invalidateQueries({ queryKey: ['deployments'] });
    },
    onSuccess: onClose,
  });
  return (
    <Modal opened={count > 0} onClose={onClose} title='Rename the deployments, too?'>
      <Stack>
        <Text size='sm'>
          {count === 1 ? 'One deployment has' : `${count} deployments have`}{' '}
          the former name “{renaming.from}”. The start page shows the name of its deployment.
        </Text>
        <ErrorAlert error={renamingAll.error} />
        <Group justify='flex-end'>
          <Button variant='default' onClick={onClose}>Keep the name</Button>
          <Button loading={renamingAll.isPending} onClick={() => renamingAll.mutate()}>Rename</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
