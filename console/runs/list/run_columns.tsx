import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Column } from '../../shared/page/paged_table.tsx';
import { useUserId } from '../../session/use_user_id.ts';
import { describeDuration, msBetween } from '../../shared/run/duration.ts';
import { StartedBy } from '../../shared/run/started_by.tsx';
import { StatusBadge } from '../../shared/status_badge.tsx';
import { When } from '../../shared/time/when.tsx';

import type { NamedRun } from './find_runs.ts';

function Duration({ run }: { run: NamedRun }) {
  const ms = msBetween(run.start_time, run.end_time);
  return ms === undefined ? <Text span c='dimmed'>–</Text> : describeDuration(ms);
}

const SHOWN_TAGS = 3;

/** The deployment of a run, named by its tags or its age. A run of the drawn flow is a `draft`. */
function Deployment({ run: { deployment_id: id, deployment } }: { run: NamedRun }) {
  if (id === null) return 'draft';
  if (deployment === undefined) return null;
  const tags = deployment.flow_deployments_tags.slice(0, SHOWN_TAGS).map(({ tag }) => tag);
  return (
    <Anchor component={Link} href={`/deployments/${id}`} inherit>
      {tags.length > 0 ? tags.join(', ') : (
        <>
          deployed <When at={deployment.created_at} />
        </>
      )}
    </Anchor>
  );
}

/** The flow of a run. Only its owner opens it. */
function FlowOfRun({ run: { flow_id, flow_name, user_id } }: { run: NamedRun }) {
  const userId = useUserId();
  const name = flow_name || `Flow ${flow_id}`;
  return user_id === userId
    ? <Anchor component={Link} size='sm' href={`/flows/${flow_id}`}>{name}</Anchor>
    : <Text size='sm'>{name}</Text>;
}

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
      <Stack gap={0} miw='6rem'>
        <FlowOfRun run={run} />
        <Text size='xs' c='dimmed' component='div'>
          <Deployment run={run} />
        </Text>
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
