import { Anchor, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useApi } from '../shared/api.tsx';
import { StatusBadge } from '../shared/status_badge.tsx';
import { When } from '../shared/time/when.tsx';

const POLL_MS = 2_000;

/** The newest run of a flow. */
export function LastRun({ flowId }: { flowId: number }) {
  const { flows } = useApi();
  const { data: [run] = [] } = useQuery({
    queryKey: ['flows', 'last run', flowId],
    queryFn: ({ signal }) => flows.runs({ flow: flowId, limit: 1, signal }),
    // Refreshed until the run has ended.
    refetchInterval: ({ state: { data } }) => data?.[0]?.end_time === null && POLL_MS,
  });
  if (run === undefined) return <Text span c='dimmed'>–</Text>;
  return (
    <Group gap='xs'>
      <StatusBadge status={run.status} />
      <Anchor component={Link} href={`/runs/${run.id}`} size='sm'>
        <When at={run.created_at} />
      </Anchor>
    </Group>
  );
}
