import { Anchor, Badge, Button, Code, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Database } from 'flow-deployments-client';
import { Link } from 'wouter';
import { useApi } from '../../shared/api.tsx';
import { ErrorAlert } from '../../shared/errors/error_alert.tsx';
import { type Column, PagedTable } from '../../shared/page/paged_table.tsx';
import { usePagedRows } from '../../shared/page/use_paged_rows.ts';
import { type RunStarter, StartedBy } from '../../shared/run/started_by.tsx';
import { describeAge, When } from '../../shared/time/when.tsx';

/** A message about a run, with its state. */
type Delivery =
  & Omit<
    Database['public']['Tables']['webhook_deliveries']['Row'],
    'user_id' | 'deployment_id' | 'turn_id' | 'is_started_by_owner' | 'headers' | 'payload'
  >
  & { flow_run: RunStarter };

const SHOWN =
  'id, created_at, flow_run_id, event, url, status, attempts, max_attempts, next_attempt_at, is_held, last_attempt_at, last_http_status, last_response, last_error, flow_run(schedule_id, webhook_id, row_start_id, started_by, started_by_public_key, started_by_run_id, started_by_email)';

/** The interval at which the list is refreshed. */
const LIST_REFRESH_MS = 3_000;

const keyOf = (deploymentId: string) => ['deployments', 'deliveries', deploymentId];

const COLOURS: Record<string, string> = { pending: 'yellow', delivered: 'teal', failed: 'red' };

const Status = ({ row: { status, attempts, max_attempts } }: { row: Delivery }) => (
  <Stack gap={2} align='flex-start'>
    <Badge color={COLOURS[status] ?? 'gray'} variant='light' miw='max-content' className='console-status'>
      {status}
    </Badge>
    <Text size='xs' c='dimmed'>{attempts === 0 ? 'not tried yet' : `attempt ${attempts} of ${max_attempts}`}</Text>
  </Stack>
);

/** Shows the last answer of the address, or the reason why there is no answer. */
function LastAnswer({ row }: { row: Delivery }) {
  const { last_http_status: httpStatus, last_response: response, last_error: error, last_attempt_at: at } = row;
  if (at === null && error === null) return <Text span c='dimmed'>–</Text>;
  return (
    <Stack gap={2}>
      {at !== null && (
        <Text size='sm'>
          {httpStatus === null ? 'No answer' : `HTTP ${httpStatus}`}, <When at={at} />
        </Text>
      )}
      {error !== null && <Text size='sm' className='console-text'>{error}</Text>}
      {response !== null && response !== '' && (
        <details>
          <summary>Answer</summary>
          <Code block className='console-text'>{response}</Code>
        </details>
      )}
    </Stack>
  );
}

function NextAttempt({ row: { next_attempt_at, is_held } }: { row: Delivery }) {
  if (next_attempt_at === null) return <Text span c='dimmed'>none</Text>;
  return is_held ? 'under way' : <When at={next_attempt_at} />;
}

function Redeliver({ row, deploymentId }: { row: Delivery; deploymentId: string }) {
  const { db } = useApi();
  const queries = useQueryClient();
  const redeliver = useMutation({
    mutationFn: async () => {
      await db.rpc('redeliver_webhook', { id: row.id }).throwOnError();
      await queries.invalidateQueries({ queryKey: keyOf(deploymentId) });
    },
  });
  return (
    <Stack gap='xs' align='flex-start'>
      <Button
        variant='default'
        size='xs'
        aria-label={`Post once more: ${row.event} of ${describeAge(new Date(row.created_at), new Date())}`}
        loading={redeliver.isPending}
        onClick={() => redeliver.mutate()}
      >
        Post once more
      </Button>
      <ErrorAlert error={redeliver.error} />
    </Stack>
  );
}

const columnsFor = (deploymentId: string): Column<Delivery>[] => [
  {
    header: 'Event',
    cell: ({ event, flow_run_id, flow_run, created_at }) => (
      <Stack gap={0}>
        <Anchor component={Link} href={`/runs/${flow_run_id}`} size='sm'>
          {event}, <When at={created_at} />
        </Anchor>
        <Text size='xs' c='dimmed'>
          run started <StartedBy run={flow_run} />
        </Text>
      </Stack>
    ),
  },
  { header: 'Status', cell: (row) => <Status row={row} /> },
  { header: 'Last answer', cell: (row) => <LastAnswer row={row} /> },
  { header: 'Next attempt', cell: (row) => <NextAttempt row={row} /> },
  { header: 'Address', cell: ({ url }) => <Text size='sm'>{url}</Text> },
  { header: 'Actions', isHeaderHidden: true, cell: (row) => <Redeliver row={row} deploymentId={deploymentId} /> },
];

/** The messages about the runs of a deployment, the newest first. */
export function Deliveries({ deploymentId }: { deploymentId: string }) {
  const { db } = useApi();
  const list = usePagedRows<Delivery>({
    queryKey: keyOf(deploymentId),
    parameter: 'deliveries',
    refetchInterval: LIST_REFRESH_MS,
    read: async (from, to, signal) => {
      const { data } = await db.from('webhook_deliveries').select(SHOWN).eq('deployment_id', deploymentId)
        .order('id', { ascending: false }).range(from, to).abortSignal(signal).throwOnError();
      return data;
    },
  });
  return (
    <PagedTable
      label='messages'
      columns={columnsFor(deploymentId)}
      rowKey={({ id }) => id}
      list={list}
      empty={<Text size='sm' c='dimmed'>No message has been made for a run of this deployment yet.</Text>}
    />
  );
}
