import { Anchor, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { RunRow } from 'flow-deployments-client';
import { Link } from 'wouter';
import { useApi } from '../shared/api.tsx';
import { StatusBadge } from '../shared/status_badge.tsx';
import { When } from '../shared/time/when.tsx';
import { describeDuration, msBetween } from '../shared/run/duration.ts';
import { RunWait } from './run_wait.tsx';
import { type RunStarter, StartedBy } from '../shared/run/started_by.tsx';

/** Adds the address of the person who started the run, which only the owner of the flow can read. */
function useStarter(run: RunRow, isOwner: boolean): RunStarter {
  const { db } = useApi();
  const { data } = useQuery({
    queryKey: ['runs', 'starter', run.id],
    queryFn: async ({ signal }) => {
      const { data } = await db.from('flow_run').select('started_by_email').eq('id', run.id).abortSignal(signal)
        .single().throwOnError();
      return data;
    },
    enabled: isOwner && run.started_by !== null && run.started_by !== run.user_id,
    staleTime: Infinity,
  });
  return { ...run, ...data };
}

/** The state of a run, and its origin. */
export function RunFacts({ run, isOwner }: { run: RunRow; isOwner: boolean }) {
  const ms = msBetween(run.start_time, run.end_time);
  const starter = useStarter(run, isOwner);
  return (
    <>
      <Group gap='md' component='section' aria-label='Facts'>
        <span role='status'>
          <StatusBadge status={run.status} />
        </span>
        <Text size='sm'>
          Made <When at={run.created_at} /> <StartedBy run={starter} />
          {ms !== undefined && `, took ${describeDuration(ms)}`}
        </Text>
        {isOwner && <Anchor component={Link} size='sm' href={`/flows/${run.flow_id}`}>Flow</Anchor>}
        {isOwner && run.deployment_id !== null && (
          <Anchor component={Link} size='sm' href={`/deployments/${run.deployment_id}`}>Deployment</Anchor>
        )}
        {run.deployment_id === null && run.parent_flow_run_id === null && (
          <Text size='sm' c='dimmed'>draft, without a deployment</Text>
        )}
        {run.parent_flow_run_id !== null && (
          <Anchor component={Link} size='sm' href={`/runs/${run.parent_flow_run_id}`}>Called by</Anchor>
        )}
        {run.redriven_from !== null && (
          <Anchor component={Link} size='sm' href={`/runs/${run.redriven_from}`}>Redriven from</Anchor>
        )}
      </Group>
      {run.status === 'queued' && <RunWait run={run} />}
    </>
  );
}
