import { Anchor, Text } from '@mantine/core';
import type { ConnectionRow } from 'flow-deployments-client';
import { Link } from 'wouter';
import { useApi } from '../shared/api.tsx';
import { DocsLink } from '../shared/docs_link.tsx';
import { EmptyState } from '../shared/page/empty_state.tsx';
import { Page } from '../shared/page/page.tsx';
import { type Column, PagedTable } from '../shared/page/paged_table.tsx';
import { usePagedRows } from '../shared/page/use_paged_rows.ts';
import { When } from '../shared/time/when.tsx';
import { describeKind } from './kinds.ts';
import { LastTest } from './last_test.tsx';
import { NewConnectionButton } from './store_connection.tsx';

/** The most hosts that a row of the list names. */
const HOSTS_SHOWN = 3;

const COLUMNS: Column<ConnectionRow>[] = [
  {
    header: 'Name',
    cell: ({ id, name }) => <Anchor component={Link} href={`/connections/${id}`} fw={600}>{name}</Anchor>,
  },
  { header: 'Kind', cell: describeKind },
  {
    header: 'Hosts',
    cell: ({ hosts }) => hosts.slice(0, HOSTS_SHOWN).join(', ') + (hosts.length > HOSTS_SHOWN ? ', …' : ''),
  },
  { header: 'Stored', cell: ({ updated_at }) => <When at={updated_at} /> },
  {
    header: 'Last used',
    cell: ({ last_used_at }) =>
      last_used_at === null ? <Text c='dimmed' size='sm'>by no run yet</Text> : <When at={last_used_at} />,
  },
  { header: 'Last test', cell: (row) => <LastTest row={row} /> },
];

/** The connections of the signed-in user, sorted by name. */
export function ConnectionsPage() {
  const { db } = useApi();
  const list = usePagedRows({
    queryKey: ['connections', 'list'],
    read: async (from, to, signal) => {
      const { data } = await db.from('connections').select('*').order('name').range(from, to).abortSignal(signal)
        .throwOnError();
      return data;
    },
  });
  return (
    <Page
      title='Connections'
      description='Secrets for other servers. Flows use them by name, and never see them.'
      actions={<NewConnectionButton />}
    >
      <PagedTable
        label='connections'
        columns={COLUMNS}
        rowKey={({ id }) => id}
        list={list}
        empty={
          <EmptyState title='You have no connections yet'>
            For example: the token of a shop's API, for the host api.example.com. Then a node <q>HTTP Request</q>{' '}
            names the connection, and its requests carry the token.{' '}
            <DocsLink to='guides/connections'>The guide</DocsLink> has a whole example.
          </EmptyState>
        }
      />
    </Page>
  );
}
