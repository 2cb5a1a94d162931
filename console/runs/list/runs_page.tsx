import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { useApi } from '../../shared/api.tsx';
import { EmptyState } from '../../shared/page/empty_state.tsx';
import { Page } from '../../shared/page/page.tsx';
import { type Column, PagedTable } from '../../shared/page/paged_table.tsx';
import { StatusBadge } from '../../shared/status_badge.tsx';
import { usePagedRows } from '../../shared/page/use_paged_rows.ts';
import { When } from '../../shared/time/when.tsx';
import { describeDuration, msBetween } from '../../shared/run/duration.ts';
import '../runs.css';
import { StartedBy } from '../started_by.tsx';
import { findRuns, type NamedRun } from './find_runs.ts';
import { RunCharts } from './run_charts.tsx';
import { useRunFilter } from './run_filter.ts';
import { RunFilterFields } from './run_filter_fields.tsx';

/** The interval at which the list is refreshed. A search looks at many runs, so it is repeated less often. */
const LIST_REFRESH_MS = 3_000;
const SEARCH_REFRESH_MS = 15_000;

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

const COLUMNS: Column<NamedRun>[] = [
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

/** The runs that the user may see: the runs of the user's flows, and the runs that the user started. */
export function RunsPage() {
  const { db } = useApi();
  const [filter, change] = useRunFilter();
  const [isComplete, setComplete] = useState(true);
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const list = usePagedRows({
    queryKey: ['runs', 'list', filter],
    read: async (from, to, signal) => {
      const found = await findRuns(db, filter, [from, to], signal);
      setComplete(found.isComplete);
      return found.runs;
    },
    refetchInterval: filter.search === undefined ? LIST_REFRESH_MS : SEARCH_REFRESH_MS,
  });
  return (
    <Page title='Runs'>
      <RunFilterFields filter={filter} change={change} />
      <PagedTable
        label='runs'
        columns={COLUMNS}
        rowKey={({ id }) => id}
        list={list}
        empty={isFiltered
          ? <EmptyState title='No run matches the filter'>Change the filter, or show all runs.</EmptyState>
          : (
            <EmptyState
              title='There are no runs yet'
              action={<Button component={Link} href='/flows'>Go to the flows</Button>}
            >
              For example: open a flow and press “Run”. Its run appears here, with its output.
            </EmptyState>
          )}
      />
      {!isComplete && (
        <Text size='sm' c='dimmed'>The newest 100,000 runs were searched. To search older ones, set Until.</Text>
      )}
      <RunCharts filter={filter} />
    </Page>
  );
}
