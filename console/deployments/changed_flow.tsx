import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { type Api, useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';

/** The most problems that the question lists. */
const PROBLEMS_SHOWN = 5;

/** Returns the messages of the problems that would make a run of the saved flow fail. */
async function failuresOf({ db }: Api, flowId: number): Promise<string[]> {
  const { data } = await db.rpc('check_flow', { flow_id: flowId }).throwOnError();
  // SAFETY: the function's comment defines the shape of its answer.
  const { problems } = data as unknown as { problems: { message: string; severity: string }[] };
  return problems.filter(({ severity }) => severity === 'fails_run').map(({ message }) => message);
}

function Failures({ messages }: { messages: string[] }) {
  return (
    <>
      <Text size='sm'>A run of this flow would fail:</Text>
      <List size='sm'>
        {messages.slice(0, PROBLEMS_SHOWN).map((message) => (
          <List.Item key={message} className='console-text'>{message}</List.Item>
        ))}
      </List>
      {messages.length > PROBLEMS_SHOWN && (
        <Text size='sm'>The editor lists {messages.length - PROBLEMS_SHOWN} more.</Text>
      )}
    </>
  );
}

/**
 * Says that the flow has changed since its newest deployment, and offers to deploy the flow. If a run of the flow would
 * fail, shows its problems, and deploys only after a second click.
 */
export function ChangedFlow({ entrypoint }: { entrypoint: number }) {
  const api = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  /**
   * Deploys the flow. If runs would fail and `isSure` is false, deploys nothing and returns the messages of the
   * problems.
   */
  const deploy = useMutation({
    mutationFn: async (isSure: boolean): Promise<string[]> => {
      const failures = isSure ? [] : await failuresOf(api, entrypoint);
      if (failures.length > 0) return failures;
      const { deployment_id } = await api.flows.deploy(entrypoint);
      await queries.invalidateQueries({ queryKey: ['deployments'] });
      await queries.invalidateQueries({ queryKey: ['flows'] });
      navigate(`/deployments/${deployment_id}`);
      return [];
    },
  });
  const failures = deploy.data ?? [];
  const mustAsk = failures.length > 0;
  return (
    <Alert color='yellow' role='status' title='The flow has changed since this deployment'>
      <Stack gap='xs'>
        <Group gap='md'>
          <Text size='sm'>
            A start of this deployment runs the former flow. A new deployment begins with the settings of the flow, not
            with those of this deployment.
          </Text>
          <Button size='xs' variant='default' loading={deploy.isPending} onClick={() => deploy.mutate(mustAsk)}>
            {mustAsk ? 'Deploy anyway' : 'Deploy'}
          </Button>
          <Button component={Link} href={`/flows/${entrypoint}`} size='xs' variant='default'>Open the flow</Button>
        </Group>
        {mustAsk && <Failures messages={failures} />}
        <ErrorAlert error={deploy.error} />
      </Stack>
    </Alert>
  );
}
