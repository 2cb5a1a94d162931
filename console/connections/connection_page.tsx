import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { isUuid } from '../shared/is_uuid.ts';
import { Loading } from '../shared/page/loading.tsx';
import { NotFoundPage } from '../shared/page/not_found_page.tsx';
import { Page } from '../shared/page/page.tsx';
import { ConnectionFacts } from './connection_facts.tsx';
import { DeleteConnection } from './delete_connection.tsx';
import { ReplaceConnectionButton } from './store_connection.tsx';
import { TestConnection } from './test_connection.tsx';
import { UsedBy } from './used_by.tsx';

/** A connection: the hosts that get its secret, a test, and the flows that use it. */
export function ConnectionPage({ id }: { id: string }) {
  const { db } = useApi();
  const { data: row, error, isPending, refetch } = useQuery({
    queryKey: ['connections', 'one', id],
    queryFn: async ({ signal }) => {
      if (!isUuid(id)) return null;
      const { data } = await db.from('connections').select('*').eq('id', id).abortSignal(signal).maybeSingle()
        .throwOnError();
      return data;
    },
  });
  if (isPending) return <Loading />;
  if (row === null) return <NotFoundPage what='connection' />;
  if (row === undefined) return <ErrorAlert error={error} onRetry={() => void refetch()} />;
  const actions = (
    <Group gap='xs'>
      <ReplaceConnectionButton row={row} />
      <DeleteConnection name={row.name} />
    </Group>
  );
  return (
    <Page title={row.name} parents={[{ title: 'Connections', href: '/connections' }]} actions={actions}>
      <ErrorAlert error={error} />
      <ConnectionFacts row={row} />
      <TestConnection key={row.hosts[0]} row={row} />
      <UsedBy name={row.name} />
    </Page>
  );
}
