import { Code, Group, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { ActiveSwitch } from '../shared/active_switch.tsx';
import { useApi } from '../shared/api.tsx';
import { ConfirmButton } from '../shared/confirm_button.tsx';
import { describeStart, type StartedTarget } from '../shared/describe_start.ts';
import { EmptyState } from '../shared/empty_state.tsx';
import { LastStart } from '../shared/last_start.tsx';
import { type Column, PagedTable } from '../shared/paged_table.tsx';
import { usePagedRows } from '../shared/use_paged_rows.ts';
import { NewWebhook } from './new_webhook.tsx';
import { VERIFICATIONS } from './verifications.ts';

const SHOWN =
  'id, prefix, flow, tag, deployment_id, input, verification, is_active, last_start_at, last_flow_run_id, last_error, flows(name)';

interface WebhookRow extends StartedTarget {
  id: string;
  prefix: string;
  input: string;
  verification: string | null;
  is_active: boolean;
  last_start_at: string | null;
  last_flow_run_id: string | null;
  last_error: string | null;
}

const KEY = ['settings', 'webhooks'];

const verificationOf = ({ verification }: WebhookRow): string =>
  VERIFICATIONS.find(({ value }) => value === (verification ?? ''))?.label ?? String(verification);

function WebhookSwitch({ row }: { row: WebhookRow }) {
  const { db } = useApi();
  const queries = useQueryClient();
  return (
    <ActiveSwitch
      label={row.prefix}
      isActive={row.is_active}
      store={async (is_active) => {
        await db.from('flow_webhooks').update({ is_active }).eq('id', row.id).throwOnError();
        await queries.invalidateQueries({ queryKey: KEY });
      }}
    />
  );
}

function DeleteWebhook({ row }: { row: WebhookRow }) {
  const { db } = useApi();
  const queries = useQueryClient();
  return (
    <ConfirmButton
      label='Delete'
      describedAs={row.prefix}
      size='xs'
      question='Its URL is answered as if it had never been. The runs that it has started stay.'
      onConfirm={async () => {
        await db.from('flow_webhooks').delete().eq('id', row.id).throwOnError();
        await queries.invalidateQueries({ queryKey: KEY });
      }}
    />
  );
}

const LastRequest = ({ row }: { row: WebhookRow }) => (
  <Stack gap={4}>
    <LastStart at={row.last_start_at} flowRunId={row.last_flow_run_id} />
    {row.last_error !== null && <Text size='sm' className='console-text'>Last refused: {row.last_error}</Text>}
  </Stack>
);

const COLUMNS: Column<WebhookRow>[] = [
  { header: 'Token', cell: ({ prefix }) => <Code>{prefix}…</Code> },
  { header: 'Starts', cell: (row) => describeStart(row) },
  { header: 'Input', cell: ({ input }) => input },
  { header: 'Verified by', cell: (row) => verificationOf(row) },
  { header: 'Last start', cell: (row) => <LastRequest row={row} /> },
  { header: 'Active', cell: (row) => <WebhookSwitch row={row} /> },
  { header: 'Actions', isHeaderHidden: true, cell: (row) => <DeleteWebhook row={row} /> },
];

/** The URLs by which others start deployments of the user. */
export function Webhooks() {
  const { db } = useApi();
  const list = usePagedRows<WebhookRow>({
    queryKey: KEY,
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
          <Text size='sm' c='dimmed'>Whoever posts JSON to the URL of a webhook starts a deployment, as you.</Text>
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
