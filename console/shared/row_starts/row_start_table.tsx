import { Anchor, Code, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { RowStartRow } from 'flow-deployments-client';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useApi } from '../api.tsx';
import { ActiveSwitch } from '../dialogs/active_switch.tsx';
import { ConfirmButton } from '../dialogs/confirm_button.tsx';
import { type Column, PagedTable } from '../page/paged_table.tsx';
import { usePagedRows } from '../page/use_paged_rows.ts';
import { describeTarget } from '../targets/describe_target.ts';
import type { StartedDeployment } from '../targets/start_target.ts';
import { When } from '../time/when.tsx';

const ROW_STARTS_KEY = ['row_starts'];

const SHOWN =
  'id, flow, tag, input, schema_name, table_name, events, columns, per, is_active, refused, last_error, last_refused_at, flows(name)';

type ShownRowStart =
  & Pick<
    RowStartRow,
    | 'id'
    | 'flow'
    | 'tag'
    | 'input'
    | 'schema_name'
    | 'table_name'
    | 'events'
    | 'columns'
    | 'per'
    | 'is_active'
    | 'refused'
    | 'last_error'
    | 'last_refused_at'
  >
  & { flows: { name: string } | null };

const tableOf = ({ schema_name, table_name }: ShownRowStart): string => `${schema_name}.${table_name}`;

const targetOf = ({ flow, tag, flows }: ShownRowStart): string =>
  describeTarget({ flow, tag, deployment_id: null, flows, flow_deployments: null });

/** Returns a function that refreshes the list after a change. */
function useReadAgain(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ROW_STARTS_KEY });
}

function RowStartSwitch({ row }: { row: ShownRowStart }) {
  const { db } = useApi();
  const readAgain = useReadAgain();
  return (
    <ActiveSwitch
      label={tableOf(row)}
      isActive={row.is_active}
      store={async (is_active) => {
        await db.from('flow_row_starts').update({ is_active }).eq('id', row.id).throwOnError();
        await readAgain();
      }}
    />
  );
}

function DeleteRowStart({ row }: { row: ShownRowStart }) {
  const { db } = useApi();
  const readAgain = useReadAgain();
  return (
    <ConfirmButton
      label='Delete'
      describedAs={tableOf(row)}
      size='xs'
      question='Changes of the table start no more runs. The runs that they have started stay.'
      onConfirm={async () => {
        await db.from('flow_row_starts').delete().eq('id', row.id).throwOnError();
        await readAgain();
      }}
    />
  );
}

const Changes = ({ row: { events, columns, per } }: { row: ShownRowStart }) => (
  <Stack gap={2}>
    <span>{events.join(', ')}</span>
    {columns !== null && <Text size='xs' c='dimmed' className='console-text'>of {columns.join(', ')}</Text>}
    {per === 'statement' && <Text size='xs' c='dimmed'>one run a statement</Text>}
  </Stack>
);

const Refusals = ({ row: { refused, last_error, last_refused_at } }: { row: ShownRowStart }) =>
  last_error === null ? <Text span size='sm' c='dimmed'>none</Text> : (
    <Stack gap={4}>
      <Text size='sm' component='div'>
        {refused}, last {last_refused_at !== null && <When at={last_refused_at} />}
      </Text>
      <Text size='sm' className='console-text'>{last_error}</Text>
    </Stack>
  );

const COLUMNS: Column<ShownRowStart>[] = [
  { header: 'Table', cell: (row) => <Code>{tableOf(row)}</Code> },
  { header: 'Changes', cell: (row) => <Changes row={row} /> },
  {
    header: 'Starts',
    cell: (row) => <Anchor component={Link} href={`/flows/${row.flow}`} size='sm'>{targetOf(row)}</Anchor>,
  },
  { header: 'Input', cell: ({ input }) => input },
  {
    header: 'Runs',
    cell: ({ flow }) => <Anchor component={Link} href={`/runs?starter=row_start&flow=${flow}`} size='sm'>Runs</Anchor>,
  },
  { header: 'Refused', cell: (row) => <Refusals row={row} /> },
  { header: 'Active', cell: (row) => <RowStartSwitch row={row} /> },
  { header: 'Actions', isHeaderHidden: true, cell: (row) => <DeleteRowStart row={row} /> },
];

/**
 * The tables whose changes start the user's flows. If `of` is given, lists only the row starts that now start this
 * deployment.
 */
export function RowStartTable({ of, empty }: { of?: StartedDeployment; empty: ReactNode }) {
  const { db } = useApi();
  const list = usePagedRows<ShownRowStart>({
    queryKey: [...ROW_STARTS_KEY, { of }],
    parameter: 'rows',
    read: async (from, to, signal) => {
      const all = db.from('flow_row_starts').select(SHOWN);
      const { data } = await (of === undefined ? all : all.eq('flow', of.flow).in('tag', [...of.tags]))
        .order('id', { ascending: false }).range(from, to).abortSignal(signal).throwOnError();
      return data;
    },
    refetchInterval: 10_000,
  });
  return <PagedTable label='row changes' columns={COLUMNS} rowKey={({ id }) => id} list={list} empty={empty} />;
}
