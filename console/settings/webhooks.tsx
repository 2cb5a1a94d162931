import { Code, Group, Stack, Text, Title } from '@mantine/core';
import { useApi } from '../shared/api.tsx';
import { describeTarget } from '../shared/describe_target.ts';
import { EmptyState } from '../shared/empty_state.tsx';
import { LastStart } from '../shared/last_start.tsx';
import { type Column, PagedTable } from '../shared/paged_table.tsx';
import { usePagedRows } from '../shared/use_paged_rows.ts';
import { NewWebhook } from './new_webhook.tsx';
import { verificationOf } from './verifications.ts';
import { type ListedWebhook, SHOWN, WEBHOOKS_KEY } from './webhook.ts';
import { WebhookActions, WebhookSwitch } from './webhook_actions.tsx';

const Input = ({ row: { input, headers } }: { row: ListedWebhook }) => (
  <Stack gap={2}>
    <span>{input}</span>
    {headers.length > 0 && <Text size='xs' c='dimmed'>with headers: {headers.join(', ')}</Text>}
  </Stack>
);

const LastRequest = ({ row }: { row: ListedWebhook }) => (
  <Stack gap={4}>
    <LastStart at={row.last_start_at} flowRunId={row.last_flow_run_id} of={{ webhook: row.id }} />
    {row.last_error !== null && <Text size='sm' className='console-text'>Last refused: {row.last_error}</Text>}
  </Stack>
);

const COLUMNS: Column<ListedWebhook>[] = [
  { header: 'Token', cell: ({ prefix }) => <Code style={{ whiteSpace: 'nowrap' }}>{prefix}…</Code> },
  { header: 'Starts', cell: (row) => describeTarget(row) },
  { header: 'Input', cell: (row) => <Input row={row} /> },
  { header: 'Verified by', cell: ({ verification }) => verificationOf(verification).label },
  { header: 'Last start', cell: (row) => <LastRequest row={row} /> },
  { header: 'Active', cell: (row) => <WebhookSwitch row={row} /> },
  { header: 'Actions', isHeaderHidden: true, cell: (row) => <WebhookActions row={row} /> },
];

/** The URLs with which others start deployments of the user. */
export function Webhooks() {
  const { db } = useApi();
  const list = usePagedRows<ListedWebhook>({
    queryKey: WEBHOOKS_KEY,
    parameter: 'webhooks',
    read: async (from, to, signal) => {
      const { data } = await db.from('flow_webhooks').select(SHOWN).order('id', { ascending: false }).range(from, to)
        .abortSignal(signal).throwOnError();
      return data;
    },
  });
  return (
    <Stack component='section' aria-labelledby='webhooks'>
      <Group justify='space-between' align='flex-end'>
        <Stack gap={0}>
          <Title order={2} size='h4' id='webhooks'>Webhooks</Title>
          <Text size='sm' c='dimmed'>Anybody who posts JSON to the URL of a webhook starts a deployment as you.</Text>
        </Stack>
        <NewWebhook onMade={list.refetch} />
      </Group>
      <PagedTable
        label='webhooks'
        columns={COLUMNS}
        rowKey={({ id }) => id}
        list={list}
        empty={
          <EmptyState title='You have no webhooks yet'>
            Make one for each sender, such as a repository on GitHub: it gets a URL of its own.
          </EmptyState>
        }
      />
    </Stack>
  );
}
