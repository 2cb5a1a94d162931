import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { RunRow } from 'flow-deployments-client';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { showError } from '../shared/errors/shown_error.ts';
import { type DoneEffect, doneEffectsQuery } from './done_effects.ts';

/** Reads the newest deployment of a run's flow; undefined if the run itself used this deployment. */
function useNewerDeployment({ flow_id, deployment_id }: RunRow, enabled: boolean): string | undefined {
  const { db } = useApi();
  const { data } = useQuery({
    queryKey: ['deployments', 'newest of', flow_id],
    queryFn: async ({ signal }) => {
      const { data } = await db.from('flow_deployments_tags').select('deployment_id').eq('entrypoint', flow_id)
        .eq('tag', 'latest').abortSignal(signal).maybeSingle().throwOnError();
      return data?.deployment_id ?? null;
    },
    enabled,
  });
  return data === null || data === deployment_id ? undefined : data;
}

interface RepeatedEffectsProps {
  effects: readonly DoneEffect[];
  repeated: readonly DoneEffect[];
  onChange: (repeated: DoneEffect[]) => void;
}

/** Asks which nodes may act again, although they succeeded before with other inputs. */
function RepeatedEffects({ effects, repeated, onChange }: RepeatedEffectsProps) {
  if (effects.length === 0) return null;
  return (
    <Stack gap='xs' role='group' aria-label='Nodes that may act again'>
      <Text>These nodes succeeded before with other inputs. Check what they did. Which of them may act again?</Text>
      {effects.map((effect) => (
        <Checkbox
          key={`${effect.flow}/${effect.node}`}
          label={effect.title}
          description={effect.message}
          checked={repeated.includes(effect)}
          onChange={(event) =>
            onChange(
              event.currentTarget.checked ? [...repeated, effect] : repeated.filter((other) => other !== effect),
            )}
        />
      ))}
    </Stack>
  );
}

/** A button that redrives a failed or stopped run, as a new run. */
export function RedriveButton({ run }: { run: RunRow }) {
  const api = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [isOpen, { open, close }] = useDisclosure();
  const [isAccepted, setAccepted] = useState(false);
  const newer = useNewerDeployment(run, isOpen);
  const [isOnNewer, setOnNewer] = useState(false);
  const { data: effects = [], error } = useQuery(doneEffectsQuery(api, run, isOpen));
  const [repeated, setRepeated] = useState<DoneEffect[]>([]);
  const redrive = useMutation({
    mutationFn: () =>
      api.flows.redrive(run.id, {
        acceptUnknown: isAccepted,
        deployment: isOnNewer ? newer : undefined,
        repeatEffects: repeated.map(({ flow, node }) => ({ flow, node })),
      }),
    onSuccess: async ({ flow_run_id }) => {
      await queries.invalidateQueries({ queryKey: ['runs'] });
      navigate(`/runs/${flow_run_id}`);
    },
  });
  const isUnknown = redrive.error !== null && showError(redrive.error).code === 'outcome_unknown';
  return (
    <>
      <Button variant='default' onClick={open}>Redrive</Button>
      <Modal opened={isOpen} onClose={close} title='Redrive' centered>
        <Stack>
          <Text>A new run takes over the nodes that succeeded here, and runs the others again.</Text>
          {newer !== undefined && (
            <Checkbox
              label='On the newest deployment of the flow'
              description='The run then has the settings of that deployment. Nodes that differ there run again.'
              checked={isOnNewer}
              onChange={(event) => setOnNewer(event.currentTarget.checked)}
            />
          )}
          <RepeatedEffects effects={effects} repeated={repeated} onChange={setRepeated} />
          <ErrorAlert error={redrive.error ?? error} />
          {(isUnknown || isAccepted) && (
            <Checkbox
              label='Allow effects outside to happen twice'
              checked={isAccepted}
              onChange={(event) => setAccepted(event.currentTarget.checked)}
            />
          )}
          <Group justify='flex-end'>
            <Button variant='default' onClick={close} data-autofocus>Cancel</Button>
            <Button loading={redrive.isPending} onClick={() => redrive.mutate()}>Redrive</Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
