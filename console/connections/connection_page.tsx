import { Code, Group, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ConnectionRow } from 'flow-deployments-client';
import { useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { isUuid } from '../shared/is_uuid.ts';
import { Loading } from '../shared/page/loading.tsx';
import { NotFoundPage } from '../shared/page/not_found_page.tsx';
import { Page } from '../shared/page/page.tsx';
import { Section } from '../shared/page/section.tsx';
import { When } from '../shared/time/when.tsx';
import { DeleteConnection } from './delete_connection.tsx';
import { describeKind } from './kinds.ts';
import { LastTest } from './last_test.tsx';
import { ReplaceConnectionButton } from './store_connection.tsx';
import { TestConnection } from './test_connection.tsx';
import { UsedBy } from './used_by.tsx';

const Facts = ({ row }: { row: ConnectionRow }) => (
  <Section title='What it sends, and where'>
    <Stack gap='xs'>
      <Text size='sm' className='console-text'>{describeKind(row)}, to:</Text>
      <List size='sm'>
        {row.hosts.map((host) => (
          <List.Item key={host}>
            <Code>{host}</Code>
          </List.Item>
        ))}
      </List>
      <Text size='sm' c='dimmed'>
        Stored <When at={row.updated_at} />
        {row.last_used_at === null ? '. No run has used it yet.' : (
          <>
            , last used by a run <When at={row.last_used_at} />.
          </>
        )}
      </Text>
      <Group gap='xs'>
        <Text size='sm'>Last test:</Text>
        <LastTest row={row} />
      </Group>
    </Stack>
  </Section>
);

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
      <Facts row={row} />
      <TestConnection key={row.hosts[0]} row={row} />
      <UsedBy name={row.name} />
    </Page>
  );
}
