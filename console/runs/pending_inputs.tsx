import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { DeploymentInput, PendingInput } from 'flow-deployments-client';
import { useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/error_alert.tsx';
import { InputsForm } from '../shared/form/inputs_form.tsx';
import { runKey } from '../shared/use_run_events.ts';
import { When } from '../shared/when.tsx';

const VALUE: DeploymentInput = {
  name: 'value',
  description: 'The run continues with this value.',
  type_bounds: ['free'],
  required: true,
  default: null,
  json_schema: {},
};

function PendingInputForm({ runId, input, title }: { runId: string; input: PendingInput; title: string }) {
  const { flows } = useApi();
  const queries = useQueryClient();
  const answer = useMutation({
    mutationFn: (send: () => Promise<void>) => send(),
    onSuccess: () => queries.invalidateQueries({ queryKey: runKey(runId) }),
  });
  return (
    <Alert color='yellow' title={`${title} waits for an input`} role='group'>
      <Stack>
        <Text size='sm'>
          The node fails if nobody answers <When at={input.expires_at} />.
        </Text>
        <InputsForm
          idPrefix={`input-${input.id}`}
          inputs={[VALUE]}
          disabled={answer.isPending}
          // The form requires a value, so it is never sent without one.
          onSubmit={({ value = null }) => answer.mutate(() => flows.submitInput(input.url, value))}
        >
          <ErrorAlert error={answer.error} />
          <Group justify='flex-end'>
            <Button
              variant='default'
              disabled={answer.isPending}
              onClick={() => answer.mutate(() => flows.cancelInput(input.url))}
            >
              Cancel the input
            </Button>
            <Button type='submit' loading={answer.isPending}>Send</Button>
          </Group>
        </InputsForm>
      </Stack>
    </Alert>
  );
}

/** The inputs that a run and its called runs wait for. Shows nothing if there are none. */
export function PendingInputs({ runId, titles }: { runId: string; titles: ReadonlyMap<string, string> }) {
  const { flows } = useApi();
  const { data: inputs = [], error } = useQuery({
    queryKey: [...runKey(runId), 'pending inputs'],
    queryFn: ({ signal }) => flows.pendingInputs(runId, { signal }),
  });
  return (
    <>
      <ErrorAlert error={error} />
      {inputs.map((input) => (
        <PendingInputForm
          key={input.id}
          runId={runId}
          input={input}
          title={titles.get(input.node_id) ?? 'A called flow'}
        />
      ))}
    </>
  );
}
