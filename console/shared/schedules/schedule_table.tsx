import { Anchor, Badge, Code, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ScheduleRow } from 'flow-deployments-client';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ActiveSwitch } from '../dialogs/active_switch.tsx';
import { useApi } from '../api.tsx';
import { ConfirmButton } from '../dialogs/confirm_button.tsx';
import { describeTarget, type NamedTarget, TARGET_NAMES } from '../targets/describe_target.ts';
import { LastStart } from '../time/last_start.tsx';
import { type Column, PagedTable } from '../page/paged_table.tsx';
import { type StartedDeployment, startersOf } from '../targets/start_target.ts';
import { usePagedRows } from '../page/use_paged_rows.ts';
import { When } from '../time/when.tsx';

const SHOWN =
  `id, flow, tag, deployment_id, cron, time_zone, is_active, next_start_at, last_start_at, last_flow_run_id, last_error, ${TARGET_NAMES}` as const;

type ShownSchedule =
  & NamedTarget
  & Pick<
    ScheduleRow,
    | 'id'
    | 'cron'
    | 'time_zone'
    | 'is_active'
    | 'next_start_at'
    | 'last_start_at'
    | 'last_flow_run_id'
    | 'last_error'
  >;

function ScheduleSwitch({ row }: { row: ShownSchedule }) {
  const { db } = useApi();
  const queries = useQueryClient();
  return (
    <ActiveSwitch
      label={describeTarget(row)}
      isActive={row.is_active}
      store={async (is_active) => {
        await db.from('flow_schedules').update({ is_active }).eq('id', row.id).throwOnError();
        await queries.invalidateQueries({ queryKey: ['schedules'] });
      }}
    />
  );
}

const LastPlanned = ({ row }: { row: ShownSchedule }) => (
  <Stack gap={4}>
    <LastStart at={row.last_start_at} flowRunId={row.last_flow_run_id} of={{ schedule: row.id }} />
    {row.last_error !== null && (
      <>
        <Badge color='red' variant='light' tt='none'>The last planned time started no run</Badge>
        <Text size='sm' className='console-text'>{row.last_error}</Text>
      </>
    )}
  </Stack>
);

function DeleteSchedule({ row }: { row: ShownSchedule }) {
  const { db } = useApi();
  const queries = useQueryClient();
  return (
    <ConfirmButton
      label='Delete'
      describedAs={describeTarget(row)}
      size='xs'
      question='It starts no more runs. The runs that it has started stay.'
      onConfirm={async () => {
        await db.from('flow_schedules').delete().eq('id', row.id).throwOnError();
        await queries.invalidateQueries({ queryKey: ['schedules'] });
      }}
    />
  );
}

const COLUMNS: Column<ShownSchedule>[] = [
  {
    header: 'Starts',
    cell: (row) => <Anchor component={Link} href={`/schedules/${row.id}`}>{describeTarget(row)}</Anchor>,
  },
  {
    header: 'When',
    cell: ({ cron, time_zone }) => (
      <Text size='sm'>
        <Code>{cron}</Code> {time_zone}
      </Text>
    ),
  },
  {
    header: 'Next start',
    cell: ({ next_start_at }) =>
      next_start_at === null ? <Text size='sm' c='dimmed'>none</Text> : <When at={next_start_at} />,
  },
  { header: 'Last start', cell: (row) => <LastPlanned row={row} /> },
  { header: 'Active', cell: (row) => <ScheduleSwitch row={row} /> },
  { header: 'Actions', isHeaderHidden: true, cell: (row) => <DeleteSchedule row={row} /> },
];

/** The schedules of the user. If `of` is given, lists only the schedules that now start this deployment. */
export function ScheduleTable({ of, empty }: { of?: StartedDeployment; empty: ReactNode }) {
  const { db } = useApi();
  const list = usePagedRows<ShownSchedule>({
    queryKey: ['schedules', 'list', { of }],
    ...(of !== undefined && { parameter: 'schedules' }),
    read: async (from, to, signal) => {
      const all = db.from('flow_schedules').select(SHOWN);
      const { data } = await (of === undefined ? all : all.or(startersOf(of))).order('id', { ascending: false })
        .range(from, to).abortSignal(signal).throwOnError();
      return data;
    },
    refetchInterval: 10_000,
  });
  return <PagedTable label='schedules' columns={COLUMNS} rowKey={({ id }) => id} list={list} empty={empty} />;
}
