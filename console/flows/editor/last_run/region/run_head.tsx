import { Anchor, Button, Group, Text } from '@mantine/core';
import type { RunRow } from 'flow-deployments-client';
import { Link } from 'wouter';
import { describeDuration, msBetween } from '../../../../shared/run/duration.ts';
import { StopButton } from '../../../../shared/run/stop_button.tsx';
import { StatusBadge } from '../../../../shared/status_badge.tsx';
import { useLastRun } from '../last_run_context.tsx';

/** The state of the run, its duration, and the button that stops it or starts the flow again. */
export function RunHead({ row }: { row: RunRow }) {
  const { hasChanged, isLive, only, run, isStarting } = useLastRun();
  const duration = msBetween(row.start_time, row.end_time);
  return (
    <Group gap='sm'>
      <StatusBadge status={row.status} />
      {duration !== undefined && <Text size='sm'>{describeDuration(duration)}</Text>}
      {only !== undefined && (
        <Text size='sm' c='dimmed'>{only.length === 1 ? 'one node' : `${only.length} nodes`} of the flow</Text>
      )}
      {hasChanged && <Text size='sm' fw={600}>The flow has changed since this run.</Text>}
      <Group gap='xs' ml='auto'>
        <Anchor component={Link} href={`/runs/${row.id}`} size='sm'>Open the run</Anchor>
        {isLive
          ? <StopButton runId={row.id} />
          : <Button size='xs' variant='default' loading={isStarting} onClick={() => run()}>Start again</Button>}
      </Group>
    </Group>
  );
}
