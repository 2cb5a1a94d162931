import { Anchor, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { type Db, useApi } from '../shared/api.tsx';
import { docsHref } from '../shared/docs_href.ts';
import { EmptyState } from '../shared/page/empty_state.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { readFlowNames } from '../shared/targets/flow_names.ts';
import { objectAt } from '../shared/graph/drawn_node.ts';
import { type Inbox, INBOX_KEY, useInbox } from '../shared/inbox/use_inbox.ts';
import { Loading } from '../shared/page/loading.tsx';
import { Page } from '../shared/page/page.tsx';
import { type WaitingRun, WaitingRunItem } from './waiting_run.tsx';

/** The ids of the runs that wait: first the runs that wait for a signature, then the runs that wait for an input. */
const runsOf = ({ inputs, signatures }: Inbox): string[] => [
  ...new Set([...signatures, ...inputs].map(({ root_flow_run_id }) => root_flow_run_id)),
];

async function readRuns(db: Db, ids: readonly string[], signal: AbortSignal): Promise<Map<string, WaitingRun>> {
  const { data } = await db.from('flow_run').select('id, flow_id, created_at, chain_network').in('id', ids)
    .abortSignal(signal).throwOnError();
  const names = await readFlowNames(db, [...new Set(data.map(({ flow_id }) => flow_id))], signal);
  return new Map(data.map(({ id, flow_id, created_at, chain_network }) => [id, {
    flowName: names.get(flow_id) ?? `Flow ${flow_id}`,
    cluster: String(objectAt(chain_network).cluster ?? ''),
    createdAt: created_at,
  }]));
}

/** The inputs and signatures of the user for which runs wait. */
export function InboxPage() {
  const { db } = useApi();
  const { data: inbox, error, refetch } = useInbox();
  const ids = inbox === undefined ? [] : runsOf(inbox);
  const { data: runs } = useQuery({
    queryKey: [...INBOX_KEY, 'runs', ids],
    queryFn: ({ signal }) => readRuns(db, ids, signal),
    enabled: ids.length > 0,
  });
  return (
    <Page title='Inbox' description='Runs wait here for your values and signatures.'>
      <ErrorAlert error={error} onRetry={() => void refetch()} />
      {inbox === undefined && error === null && <Loading />}
      {inbox !== undefined && ids.length === 0 && (
        <EmptyState
          title='No run waits for you'
          action={<Anchor component={Link} href={docsHref('guides/a_human_approves')}>A human approves</Anchor>}
        >
          The node API Input asks a person for a value. Its questions to you appear here.
        </EmptyState>
      )}
      {inbox !== undefined && ids.length > 0 && (
        <Stack component='ul' gap='lg' className='console-plain-list' aria-label='Waiting runs'>
          {ids.map((id) => <WaitingRunItem key={id} id={id} run={runs?.get(id)} inbox={inbox} />)}
        </Stack>
      )}
    </Page>
  );
}
