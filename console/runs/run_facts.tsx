import { Anchor, Group, Text } from '@mantine/core';
import type { RunRow } from 'flow-deployments-client';
import { Link } from 'wouter';
import { StatusBadge } from '../shared/status_badge.tsx';
import { When } from '../shared/time/when.tsx';
import { describeDuration, msBetween } from '../shared/run/duration.ts';

/** The state of a run, and its origin. */
export function RunFacts({ run, isOwner }: { run: RunRow; isOwner: boolean }) {
  const ms = msBetween(run.start_time, run.end_time);
  return (
    <Group gap='md' component='section' aria-label='Facts'>
      <span role='status'>
        <StatusBadge status={run.status} />
      </span>
      <Text size='sm'>
        Made <When at={run.created_at} />
        {ms !== undefined && `, took ${describeDuration(ms)}`}
      </Text>
      {isOwner && <Anchor component={Link} size='sm' href={`/flows/${run.flow_id}`}>Flow</Anchor>}
      {isOwner && run.deployment_id !== null && (
        <Anchor component={Link} size='sm' href={`/deployments/${run.deployment_id}`}>Deployment</Anchor>
      )}
      {run.deployment_id === null && run.parent_flow_run_id === null && (
        <Text size='sm' c='dimmed'>draft, without a deployment</Text>
      )}
      {run.started_by_run_id !== null && (
        <Anchor component={Link} size='sm' href={`/runs/${run.started_by_run_id}`}>Started by a flow</Anchor>
      )}
      {run.parent_flow_run_id !== null && (
        <Anchor component={Link} size='sm' href={`/runs/${run.parent_flow_run_id}`}>Called by</Anchor>
      )}
      {run.schedule_id !== null && (
        <Anchor component={Link} size='sm' href={`/schedules/${run.schedule_id}`}>Started by a schedule</Anchor>
      )}
      {run.webhook_id !== null && <Anchor component={Link} size='sm' href='/settings'>Started by a webhook</Anchor>}
      {run.redriven_from !== null && (
        <Anchor component={Link} size='sm' href={`/runs/${run.redriven_from}`}>Redriven from</Anchor>
      )}
      {run.started_by_public_key !== null && (
        <Text size='sm' c='dimmed' className='console-text'>by {run.started_by_public_key}</Text>
      )}
    </Group>
  );
}
