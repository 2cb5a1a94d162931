import { Anchor, Code } from '@mantine/core';
import type { RunRow } from 'flow-deployments-client';
import { useApi } from '../shared/api.tsx';
import { type Column, PagedTable } from '../shared/page/paged_table.tsx';
import { usePagedRows } from '../shared/page/use_paged_rows.ts';
import { runKey } from '../shared/use_run_events.ts';
import { When } from '../shared/time/when.tsx';
import { explorerLink } from '../shared/explorer_link.ts';
import { Section } from '../shared/page/section.tsx';
import { clusterOf } from './cluster_of.ts';

interface TransactionRow {
  node_id: string;
  times: number;
  start_time: string;
  end_time: string | null;
  signature: string;
}

interface RunTransactionsProps {
  run: RunRow;
  isLive: boolean;
  titles: ReadonlyMap<string, string>;
}

/** The transactions of a run, found by the signatures in outputs of its nodes. Shows nothing if there are none. */
export function RunTransactions({ run, isLive, titles }: RunTransactionsProps) {
  const { db } = useApi();
  const list = usePagedRows<TransactionRow>({
    queryKey: [...runKey(run.id), 'transactions', { isLive }],
    parameter: 'transactions',
    read: async (from, to, signal) => {
      const { data } = await db.from('node_run')
        .select('node_id, times, start_time, end_time, signature:output->M->signature->>B6')
        .eq('flow_run_id', run.id).not('output->M->signature->>B6', 'is', null)
        // Nodes that get the signature as an input are left out, because they only pass it on.
        .is('input->M->signature', null)
        .order('start_time').order('node_id').order('times').range(from, to).abortSignal(signal).throwOnError();
      // SAFETY: the filter selects only executions with a signature.
      return data as TransactionRow[];
    },
  });
  const columns: Column<TransactionRow>[] = [
    {
      header: 'Node',
      cell: ({ node_id, times }) => `${titles.get(node_id) ?? node_id}${times > 0 ? ` #${times}` : ''}`,
    },
    { header: 'Time', cell: ({ start_time, end_time }) => <When at={end_time ?? start_time} /> },
    {
      header: 'Signature',
      cell: ({ signature }) => (
        <Anchor href={explorerLink(signature, clusterOf(run))} target='_blank' rel='noreferrer'>
          <Code>{signature}</Code>
        </Anchor>
      ),
    },
  ];
  if (list.rows.length === 0 && list.page === 1 && list.error === null) return null;
  return (
    <Section title='Transactions'>
      <PagedTable
        label='transactions'
        columns={columns}
        rowKey={({ node_id, times }) => `${node_id} ${times}`}
        list={list}
        empty={null}
      />
    </Section>
  );
}
