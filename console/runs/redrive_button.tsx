import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/error_alert.tsx';
import { showError } from '../shared/shown_error.ts';

/** A button that redrives a failed or stopped run, as a new run. */
export function RedriveButton({ runId }: { runId: string }) {
  const { flows } = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [isOpen, { open, close }] = useDisclosure();
  const [isAccepted, setAccepted] = useState(false);
  const redrive = useMutation({
    mutationFn: () => flows.redrive(runId, { acceptUnknown: isAccepted }),
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
          <ErrorAlert error={redrive.error} />
          {(isUnknown || isAccepted) && (
            <Checkbox
              label='What may have happened outside may happen once more'
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
