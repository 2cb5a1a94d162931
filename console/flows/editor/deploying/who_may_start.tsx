import { Group, NativeSelect, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { DeployFlowResult } from 'flow-deployments-client';
import { useId } from 'react';
import { useApi } from '../../../shared/api.tsx';
import { START_PERMISSIONS } from '../../../shared/deploying/start_permissions.ts';
import { ErrorAlert } from '../../../shared/errors/error_alert.tsx';

/** Reads who may start a deployment, and stores another choice at once. Several choices are stored one by one. */
function useStartPermission(id: string) {
  const { db } = useApi();
  const queryClient = useQueryClient();
  const { data: stored, error: readError } = useQuery({
    queryKey: ['deployments', 'start permission', id],
    queryFn: async ({ signal }) => {
      const { data } = await db.from('flow_deployments').select('start_permission').eq('id', id).abortSignal(signal)
        .single().throwOnError();
      return data.start_permission;
    },
  });
  const { mutate: choose, isPending, isSuccess, variables, error } = useMutation({
    scope: { id: `start permission ${id}` },
    mutationFn: async (permission: string) => {
      await db.from('flow_deployments').update({ start_permission: permission }).eq('id', id).throwOnError();
      await queryClient.invalidateQueries({ queryKey: ['deployments'] });
    },
  });
  return {
    permission: isPending ? variables : stored,
    isPending,
    isSaved: isSuccess,
    choose,
    error: readError ?? error,
  };
}

/** The choice who may start the new deployment, and the limits of guests. */
export function WhoMayStart({ deployed: { deployment_id, limits } }: { deployed: DeployFlowResult }) {
  const { permission, isPending, isSaved, choose, error } = useStartPermission(deployment_id);
  const id = useId();
  return (
    <>
      {permission !== undefined && (
        <Group gap='xs'>
          <Text component='label' htmlFor={id} size='sm' fw={600}>Who may start it</Text>
          <NativeSelect
            id={id}
            size='xs'
            data={START_PERMISSIONS}
            value={permission}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
          />
          <Text size='sm' c='dimmed'>{isPending ? 'Saving' : isSaved ? 'Saved' : ''}</Text>
        </Group>
      )}
      <ErrorAlert error={error} />
      {limits !== undefined && permission === 'Anonymous' && (
        <Text size='sm'>
          Together, callers without an account have {limits.guests.max_starts_per_minute.toLocaleString('en')}{' '}
          starts a minute and {limits.guests.max_runs_in_flight.toLocaleString('en')}{' '}
          runs at a time; its settings raise that.
        </Text>
      )}
    </>
  );
}
