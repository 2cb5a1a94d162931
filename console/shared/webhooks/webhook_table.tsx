import { Anchor, Code, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useApi } from '../api.tsx';
import { describeTarget, targetHref } from '../targets/describe_target.ts';
import { LastStart } from '../time/last_start.tsx';
import { type Column, PagedTable } from '../page/paged_table.tsx';
import { type StartedDeployment, startersOf } from '../targets/start_target.ts';
import { usePagedRows } from '../page/use_paged_rows.ts';
import { verificationOf } from './verifications.ts';
import { type ListedWebhook, SHOWN, WEBHOOKS_KEY } from './webhook.ts';
import { WebhookActions, WebhookSwitch } from './webhook_actions.tsx';

const Input = ({ row: { input, headers, whole_request, respond } }: { row: ListedWebhook }) => (
  <Stack gap={2}>
    <span>{input}</span>
    {headers.length > 0 && <Text size='xs' c='dimmed'>with headers: {headers.join(', ')}</Text>}
    {whole_request && <Text size='xs' c='dimmed'>with headers, query and method</Text>}
    {respond && <Text size='xs' c='dimmed'>The sender gets the output.</Text>}
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
  {
    header: 'Starts',
    cell: (row) => <Anchor component={Link} size='sm' href={targetHref(row)}>{describeTarget(row)}</Anchor>,
  },
  { header: 'Input', cell: (row) => <Input row={row} /> },
  { header: 'Verified by', cell: ({ verification }) => verificationOf(verification).label },
  { header: 'Last start', cell: (row) => <LastRequest row={row} /> },
  { header: 'Active', cell: (row) => <WebhookSwitch row={row} /> },
  { header: 'Actions', isHeaderHidden: true, cell: (row) => <WebhookActions row={row} /> },
];

/** The webhooks of the user. If `of` is given, lists only the webhooks that now start this deployment. */
export function WebhookTable({ of, empty }: { of?: StartedDeployment; empty: ReactNode }) {
  const { db } = useApi();
  const list = usePagedRows<ListedWebhook>({
    queryKey: [...WEBHOOKS_KEY, { of }],
    parameter: 'webhooks',
    read: async (from, to, signal) => {
      const all = db.from('flow_webhooks').select(SHOWN);
      const { data } = await (of === undefined ? all : all.or(startersOf(of))).order('id', { ascending: false })
        .range(from, to).abortSignal(signal).throwOnError();
      return data;
    },
  });
  return <PagedTable label='webhooks' columns={COLUMNS} rowKey={({ id }) => id} list={list} empty={empty} />;
}
