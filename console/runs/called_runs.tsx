import { Anchor, Text } from '@mantine/core';
import type { RunStatus } from 'flow-deployments-client';
import { Link } from 'wouter';
import { useApi } from '../shared/api.tsx';
import { type Column, PagedTable } from '../shared/page/paged_table.tsx';
import { StatusBadge } from '../shared/status_badge.tsx';
import { usePagedRows } from '../shared/page/use_paged_rows.ts';
import { runKey } from '../shared/use_run_events.ts';
import { When } from '../shared/time/when.tsx';
import { describeDuration, msBetween } from '../shared/run/duration.ts';
import { Section } from '../shared/page/section.tsx';

interface CalledRow {
  id: string;
  status: RunStatus;
  created_at: string;
  start_time: string | null;
  end_time: string | null;
  parent_node_id: string;
  parent_times: number;
}

interface CalledRunsProps {
  runId: string;
  isLive: boolean;
  /** True for the owner of the flow, who can open called runs. Other users see only the states of called runs. */
  isOwner: boolean;
  titles: ReadonlyMap<string, string>;
}

/** The runs that this run has called. Shows nothing if it has called no run. */
export function CalledRuns({ runId, isLive, isOwner, titles }: CalledRunsProps) {
  const { db } = useApi();
  const list = usePagedRows<CalledRow>({
    queryKey: [...runKey(runId), 'called', { isLive }],
    parameter: 'called',
    read: async (from, to, signal) => {
      const { data } = await db.rpc('called_flow_runs', { flow_run_id: runId }).range(from, to).abortSignal(signal)
        .throwOnError();
      // SAFETY: CalledRow is more exact than the generated type: the function returns statuses of runs, and null for
      // missing times.
      return data as unknown as CalledRow[];
    },
  });
  const columns: Column<CalledRow>[] = [
    { header: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
    {
      header: 'Called by',
      cell: ({ parent_node_id, parent_times }) =>
        `${titles.get(parent_node_id) ?? parent_node_id}${parent_times > 0 ? ` #${parent_times}` : ''}`,
    },
    {
      header: 'Started',
      cell: ({ id, created_at }) =>
        isOwner
          ? (
            <Anchor component={Link} size='sm' href={`/runs/${id}`}>
              <When at={created_at} />
            </Anchor>
          )
          : <When at={created_at} />,
    },
    {
      header: 'Duration',
      cell: ({ start_time, end_time }) => {
        const ms = msBetween(start_time, end_time);
        return ms === undefined ? <Text span c='dimmed'>–</Text> : describeDuration(ms);
      },
    },
  ];
  if (list.rows.length === 0 && list.page === 1 && list.error === null) return null;
  return (
    <Section title='Called flows'>
      <PagedTable label='called runs' columns={columns} rowKey={({ id }) => id} list={list} empty={null} />
    </Section>
  );
}
