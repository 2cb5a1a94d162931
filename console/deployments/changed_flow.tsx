import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { type Api, useApi } from '../shared/api.tsx';
import { type FormerSettings, readFormerSettings } from '../shared/deploying/former_settings.ts';
import { SettingsChoice } from '../shared/deploying/settings_choice.tsx';
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

/** What the owner is asked before a deploy. */
interface DeployQuestions {
  failures: string[];
  former: FormerSettings | undefined;
}

/**
 * Says that the flow has changed since its newest deployment, and offers to deploy the flow. If a run of the flow would
 * fail, or the flow has other settings than the deployment, asks first, and deploys after a second click.
 */
export function ChangedFlow({ entrypoint }: { entrypoint: number }) {
  const api = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [isKept, setKept] = useState(true);
  /** Deploys the flow. If there is something to ask and `isSure` is false, returns the questions, and deploys nothing. */
  const deploy = useMutation({
    mutationFn: async (isSure: boolean): Promise<DeployQuestions | undefined> => {
      const [failures, former] = await Promise.all([
        isSure ? [] : failuresOf(api, entrypoint),
        readFormerSettings(api, entrypoint),
      ]);
      if (!isSure && (failures.length > 0 || former !== undefined && former.differing.length > 0)) {
        return { failures, former };
      }
      const { deployment_id } = await api.flows.deploy(entrypoint, {
        settingsFrom: isKept ? former?.from : undefined,
      });
      await queries.invalidateQueries({ queryKey: ['deployments'] });
      await queries.invalidateQueries({ queryKey: ['flows'] });
      navigate(`/deployments/${deployment_id}`);
      return undefined;
    },
  });
  const { failures = [], former } = deploy.data ?? {};
  const differing = former?.differing ?? [];
  return (
    <Alert color='yellow' role='status' title='The flow has changed since this deployment'>
      <Stack gap='xs'>
        <Group gap='md'>
          <Text size='sm'>A start of this deployment runs the former flow.</Text>
          <Button
            size='xs'
            variant='default'
            loading={deploy.isPending}
            onClick={() => deploy.mutate(deploy.data !== undefined)}
          >
            {failures.length > 0 ? 'Deploy anyway' : 'Deploy'}
          </Button>
          <Button component={Link} href={`/flows/${entrypoint}`} size='xs' variant='default'>Open the flow</Button>
        </Group>
        {failures.length > 0 && <Failures messages={failures} />}
        {differing.length > 0 && <SettingsChoice differing={differing} isKept={isKept} onChange={setKept} />}
        <ErrorAlert error={deploy.error} />
      </Stack>
    </Alert>
  );
}
