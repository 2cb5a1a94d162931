import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { PendingInput } from 'flow-deployments-client';
import { Link } from 'wouter';
import { useSession } from '../session/session_context.tsx';
import { type Db, useApi } from '../shared/api.tsx';
import { docsHref } from '../shared/docs_href.ts';
import { EmptyState } from '../shared/page/empty_state.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { readFlowNames } from '../shared/targets/flow_names.ts';
import { objectAt } from '../shared/graph/drawn_node.ts';
import { PendingInputAlert } from '../shared/inbox/pending_inputs.tsx';
import { type Inbox, INBOX_KEY, useInbox } from '../shared/inbox/use_inbox.ts';
import { Loading } from '../shared/page/loading.tsx';
import { Page } from '../shared/page/page.tsx';
import { SignatureRequest } from '../shared/wallet/signature_request.tsx';
import { When } from '../shared/time/when.tsx';

/** A run that waits, with the facts that the inbox shows. */
interface WaitingRun {
  flowName: string;
  cluster: string;
  createdAt: string;
}

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

const nameOfStarter = ({ starter }: PendingInput, email: string | undefined): string =>
  starter === null ? 'a guest' : starter === email?.toLowerCase() ? 'you' : starter;

/** A waiting run, with its requests to the user and the forms for the answers. */
function WaitingRunItem({ id, run, inbox }: { id: string; run: WaitingRun | undefined; inbox: Inbox }) {
  const session = useSession();
  const email = typeof session === 'object' ? session.email : undefined;
  const isOfRun = ({ root_flow_run_id }: { root_flow_run_id: string }) => root_flow_run_id === id;
  const asked = inbox.inputs.find(isOfRun);
  return (
    <Stack component='li' gap='xs'>
      <Text size='sm' className='console-text'>
        {run === undefined
          ? <Text span size='sm' fw={600}>{asked?.flow_name || 'A flow'}</Text>
          : <Anchor component={Link} size='sm' fw={600} href={`/runs/${id}`}>{run.flowName}</Anchor>}
        {asked !== undefined && `, started by ${nameOfStarter(asked, email)}`}
        {run !== undefined && (
          <Text span size='sm' c='dimmed'>
            {asked === undefined && ', started'} <When at={run.createdAt} />
          </Text>
        )}
      </Text>
      {inbox.signatures.some(isOfRun) && <SignatureRequest run={id} runId={id} cluster={run?.cluster ?? ''} />}
      {inbox.inputs.filter(isOfRun).map((input) => (
        <PendingInputAlert key={input.id} input={input} title={input.title ?? 'The run waits for an input'} />
      ))}
    </Stack>
  );
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
