import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useApi } from '../shared/api.tsx';
import { EmptyState } from '../shared/empty_state.tsx';
import { Page } from '../shared/page.tsx';
import { type Column, PagedTable } from '../shared/paged_table.tsx';
import { StatusBadge } from '../shared/status_badge.tsx';
import { usePagedRows } from '../shared/use_paged_rows.ts';
import { When } from '../shared/when.tsx';
import { DayCharts } from './day_charts.tsx';
import { describeDuration, msBetween } from '../shared/run/duration.ts';
import { useRunFilter } from './run_filter.ts';
import { RunFilterFields } from './run_filter_fields.tsx';
import { type NamedRun, readRuns } from './run_rows.ts';

/** The interval at which the list is refreshed. */
const LIST_REFRESH_MS = 3_000;

function Duration({ run }: { run: NamedRun }) {
  const ms = msBetween(run.start_time, run.end_time);
  return ms === undefined ? <Text span c='dimmed'>–</Text> : describeDuration(ms);
}

/** Removes the node's id, which has no meaning in a list. The page of the run links to the node. */
const withoutNodeId = (line: string): string => line.replace(/ [0-9a-f-]{36}(?=[#:])/, '');

const COLUMNS: Column<NamedRun>[] = [
  { header: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    header: 'Started',
    cell: ({ id, created_at }) => (
      <Anchor component={Link} href={`/runs/${id}`} size='sm' fw={600}>
        <When at={created_at} />
      </Anchor>
    ),
  },
  {
    header: 'Flow',
    // A minimum width, because long errors would leave it no room.
    cell: ({ flow_id, flow_name }) => <Text size='sm' miw='7rem'>{flow_name ?? `Flow ${flow_id}`}</Text>,
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

/** The runs that the user may see: those of the user's flows, and those that the user started. */
export function RunsPage() {
  const { db } = useApi();
  const [filter, change] = useRunFilter();
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const list = usePagedRows({
    queryKey: ['runs', 'list', filter],
    read: (from, to, signal) => readRuns(db, filter, [from, to], signal),
    refetchInterval: LIST_REFRESH_MS,
  });
  return (
    <Page title='Runs'>
      <RunFilterFields filter={filter} change={change} />
      <DayCharts filter={filter} />
      <PagedTable
        label='runs'
        columns={COLUMNS}
        rowKey={({ id }) => id}
        list={list}
        empty={isFiltered
          ? <EmptyState title='No run is like that'>Change the filter, or show all runs.</EmptyState>
          : (
            <EmptyState
              title='There are no runs yet'
              action={<Anchor component={Link} href='/flows'>Go to the flows</Anchor>}
            >
              Open a flow, deploy it, and start it.
            </EmptyState>
          )}
      />
    </Page>
  );
}
