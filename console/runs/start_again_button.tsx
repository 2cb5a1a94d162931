import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { RunRow, ValueMap } from 'flow-deployments-client';
import { useLocation } from 'wouter';
import { type Api, useApi } from '../shared/api.tsx';
import { callFunction } from '../shared/call_function.ts';
import { ErrorAlert } from '../shared/error_alert.tsx';
import { ValueView } from '../shared/value_view.tsx';

/** Starts a run's deployment again with the same inputs, or the present flow if the run had no deployment. */
async function startAgain(api: Api, run: RunRow): Promise<string> {
  // SAFETY: the inputs of a run are one value, {"M": {…}}.
  const { M: inputs } = run.inputs as unknown as { M: ValueMap };
  if (run.deployment_id === null) {
    const started = await callFunction<{ flow_run_id: string }>(api, `flow/start/${run.flow_id}`, { inputs });
    return started.flow_run_id;
  }
  const actionSigner = run.action_signer ?? undefined;
  const started = await api.flows.start({ id: run.deployment_id }, {}, { inputs, actionSigner });
  return started.flow_run_id;
}

/** A button that starts a new run with the same inputs. */
export function StartAgainButton({ run }: { run: RunRow }) {
  const api = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [isOpen, { open, close }] = useDisclosure();
  const start = useMutation({
    mutationFn: () => startAgain(api, run),
    onSuccess: async (id) => {
      await queries.invalidateQueries({ queryKey: ['runs'] });
      navigate(`/runs/${id}`);
    },
  });
  return (
    <>
      <Button onClick={open}>Start again</Button>
      <Modal opened={isOpen} onClose={close} title='Start again' centered size='lg'>
        <Stack>
          <Text>
            {run.deployment_id === null
              ? 'A new run of the flow as it is now, with the same inputs:'
              : 'A new run of the same deployment, with the same inputs:'}
          </Text>
          <ValueView value={run.inputs} />
          <ErrorAlert error={start.error} />
          <Group justify='flex-end'>
            <Button variant='default' onClick={close} data-autofocus>Cancel</Button>
            <Button loading={start.isPending} onClick={() => start.mutate()}>Start again</Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
