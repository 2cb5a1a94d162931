import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Column } from '../../shared/page/paged_table.tsx';
import { describeDuration, msBetween } from '../../shared/run/duration.ts';
import { StatusBadge } from '../../shared/status_badge.tsx';
import { When } from '../../shared/time/when.tsx';
import { StartedBy } from '../started_by.tsx';
import type { NamedRun } from './find_runs.ts';

function Duration({ run }: { run: NamedRun }) {
  const ms = msBetween(run.start_time, run.end_time);
  return ms === undefined ? <Text span c='dimmed'>–</Text> : describeDuration(ms);
}

/** Names the deployment of a run by its tags, or by the end of its id. A run of the drawn flow is a `draft`. */
const deploymentOf = ({ deployment_id: id, tags }: NamedRun): string => {
  if (id === null) return 'draft';
  return tags.length > 0 ? tags.slice(0, 3).join(', ') : `deployment …${id.slice(-6)}`;
};

/** Removes the id of the node from an error, because the id means nothing to readers of the list. */
const withoutNodeId = (line: string): string => line.replace(/ [0-9a-f-]{36}(?=[#:])/, '');

/** The columns of the list of runs. */
export const RUN_COLUMNS: Column<NamedRun>[] = [
  { header: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    header: 'Started',
    cell: (run) => (
      <Stack gap={0}>
        <Anchor component={Link} href={`/runs/${run.id}`} size='sm' fw={600}>
          <When at={run.created_at} />
        </Anchor>
        <Text size='xs' c='dimmed'>
          <StartedBy run={run} />
        </Text>
      </Stack>
    ),
  },
  {
    header: 'Flow',
    // This column needs a minimum width, because a long error in another column would otherwise take all room.
    cell: (run) => (
      <Stack gap={0} miw='7rem'>
        <Text size='sm'>{run.flow_name ?? `Flow ${run.flow_id}`}</Text>
        <Text size='xs' c='dimmed' title={run.deployment_id ?? undefined}>{deploymentOf(run)}</Text>
      </Stack>
    ),
  },
  { header: 'Duration', cell: (run) => <Duration run={run} /> },
  {
    header: 'First error',
    cell: ({ first_error }) =>
      first_error === null
        ? <Text span c='dimmed'>–</Text>
        : <Text size='sm' lineClamp={2} title={first_error}>{withoutNodeId(first_error)}</Text>,
  },
];
