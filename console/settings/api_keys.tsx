import { Code, Group, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useApi } from '../shared/api.tsx';
import { ConfirmButton } from '../shared/dialogs/confirm_button.tsx';
import { EmptyState } from '../shared/page/empty_state.tsx';
import { type Column, PagedTable } from '../shared/page/paged_table.tsx';
import { usePagedRows } from '../shared/page/use_paged_rows.ts';
import { When } from '../shared/time/when.tsx';
import { NewApiKey } from './new_api_key.tsx';

interface ApiKeyRow {
  id: string;
  name: string;
  prefix: string;
  created_at: string;
}

function DeleteApiKey({ row }: { row: ApiKeyRow }) {
  const { db } = useApi();
  const queries = useQueryClient();
  return (
    <ConfirmButton
      label='Delete'
      describedAs={row.name}
      size='xs'
      question='All requests with this key are refused from now on.'
      onConfirm={async () => {
        await db.from('api_keys').delete().eq('id', row.id).throwOnError();
        await queries.invalidateQueries({ queryKey: ['settings', 'api_keys'] });
      }}
    />
  );
}

const COLUMNS: Column<ApiKeyRow>[] = [
  { header: 'Name', cell: ({ name }) => name },
  { header: 'Begins with', cell: ({ prefix }) => <Code>{prefix}…</Code> },
  { header: 'Made', cell: ({ created_at }) => <When at={created_at} /> },
  { header: 'Actions', isHeaderHidden: true, cell: (row) => <DeleteApiKey row={row} /> },
];

/** The keys with which scripts and services act as the user. */
export function ApiKeys() {
  const { db } = useApi();
  const list = usePagedRows<ApiKeyRow>({
    queryKey: ['settings', 'api_keys'],
    parameter: 'api_keys',
    read: async (from, to, signal) => {
      const { data } = await db.from('api_keys').select('id, name, prefix, created_at').order('created_at', {
        ascending: false,
      }).order('id').range(from, to).abortSignal(signal).throwOnError();
      return data;
    },
  });
  return (
    <Stack component='section' aria-labelledby='api-keys'>
      <Group justify='space-between' align='flex-end'>
        <Stack gap={0}>
          <Title order={2} size='h4' id='api-keys'>API keys</Title>
          <Text size='sm' c='dimmed'>With a key, a script or a service can do everything that you can do.</Text>
        </Stack>
        <NewApiKey />
      </Group>
      <PagedTable
        label='API keys'
        columns={COLUMNS}
        rowKey={({ id }) => id}
        list={list}
        empty={
          <EmptyState title='You have no API keys yet'>
            For example: one for the script that deploys your flows from git. Make one for each service, so that you can
            delete each of them.
          </EmptyState>
        }
      />
    </Stack>
  );
}
