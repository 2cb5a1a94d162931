import { Button, Card, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { DeploymentInput, PlainValues } from 'flow-deployments-client';
import { useLocation } from 'wouter';
import { useApi } from '../../shared/api.tsx';
import { ErrorAlert } from '../../shared/errors/error_alert.tsx';
import { InputsForm } from '../../shared/form/inputs_form.tsx';

/** Starts the deployment with plain values, and opens the run. */
export function StartForm({ deploymentId, inputs }: { deploymentId: string; inputs: readonly DeploymentInput[] }) {
  const { flows } = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const starting = useMutation({
    mutationFn: (values: PlainValues) => flows.start({ id: deploymentId }, values),
    onSuccess: async ({ flow_run_id }) => {
      await queries.invalidateQueries({ queryKey: ['runs'] });
      await queries.invalidateQueries({ queryKey: ['flows', 'last run'] });
      navigate(`/runs/${flow_run_id}`);
    },
  });
  return (
    <Card withBorder padding='lg' maw={760}>
      <InputsForm
        idPrefix='start'
        inputs={inputs}
        disabled={starting.isPending}
        onSubmit={(values) => starting.mutate(values)}
      >
        <ErrorAlert error={starting.error} />
        <Group>
          <Button type='submit' loading={starting.isPending}>Start</Button>
        </Group>
      </InputsForm>
    </Card>
  );
}
