import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { FlowError, type PlainValues } from 'flow-deployments-client';
import { useLocation } from 'wouter';
import { useApi } from '../../shared/api.tsx';
import { ErrorAlert } from '../../shared/error_alert.tsx';
import { InputsForm } from '../../shared/form/inputs_form.tsx';
import { Loading } from '../../shared/loading.tsx';
import { useEditor, useEditorState } from './editor_context.tsx';

/** Starts the newest deployment of the flow, with inputs as plain values. */
export function StartDialog({ onClose }: { onClose: () => void }) {
  const { flow } = useEditor();
  const { document, saved } = useEditorState();
  const { flows } = useApi();
  const [, navigate] = useLocation();
  const queryClient = useQueryClient();
  const deployment = useQuery({
    queryKey: ['deployments', 'latest of', flow.id],
    queryFn: ({ signal }) => flows.read({ flow: flow.id }, { signal }),
    // Always read anew, because a deploy may have followed meanwhile.
    gcTime: 0,
  });
  const starting = useMutation({
    mutationFn: (values: PlainValues) => flows.start({ flow: flow.id }, values),
    onSuccess: async ({ flow_run_id }) => {
      await queryClient.invalidateQueries({ queryKey: ['runs'] });
      await queryClient.invalidateQueries({ queryKey: ['flows', 'last run', flow.id] });
      navigate(`/runs/${flow_run_id}`);
    },
  });
  const isMissing = deployment.error instanceof FlowError && deployment.error.status === 404;
  const buttons = (
    <Group justify='flex-end'>
      <Button variant='default' onClick={onClose}>Cancel</Button>
      <Button type='submit' loading={starting.isPending}>Start</Button>
    </Group>
  );
  return (
    <Modal opened onClose={onClose} title='Start' size='lg'>
      <Stack>
        {isMissing
          ? (
            <Alert color='yellow' title='The flow has no deployment yet'>
              A start executes a deployment: deploy the flow first.
            </Alert>
          )
          : <ErrorAlert error={deployment.error} />}
        {deployment.isPending && <Loading label='Reading what the flow takes' />}
        {document !== saved && !isMissing && (
          <Text size='sm'>Your unsaved changes are not part of it: it starts the newest deployment.</Text>
        )}
        <ErrorAlert error={starting.error} />
        {deployment.data && (
          <InputsForm
            key={deployment.data.deployment_id}
            idPrefix='start'
            inputs={deployment.data.inputs}
            disabled={starting.isPending}
            onSubmit={(values) => starting.mutate(values)}
          >
            {buttons}
          </InputsForm>
        )}
      </Stack>
    </Modal>
  );
}
