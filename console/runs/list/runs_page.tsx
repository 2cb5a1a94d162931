import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { useApi } from '../../shared/api.tsx';
import { EmptyState } from '../../shared/page/empty_state.tsx';
import { Page } from '../../shared/page/page.tsx';
import { PagedTable } from '../../shared/page/paged_table.tsx';
import { usePagedRows } from '../../shared/page/use_paged_rows.ts';
import '../runs.css';
import { findRuns } from './find_runs.ts';
import { RunCharts } from './run_charts.tsx';
import { RUN_COLUMNS } from './run_columns.tsx';
import { useRunFilter } from './run_filter.ts';
import { RunFilterFields } from './run_filter_fields.tsx';

/** The interval at which the list is refreshed. A search looks at many runs, so it is repeated less often. */
const LIST_REFRESH_MS = 3_000;
const SEARCH_REFRESH_MS = 15_000;

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
        columns={RUN_COLUMNS}
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
