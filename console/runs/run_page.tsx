import { Alert, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { RunRow } from 'flow-deployments-client';
import { useRef, useState } from 'react';
import { useUserId } from '../session/use_user_id.ts';
import { type Api, useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { readFlowNames } from '../shared/targets/flow_names.ts';
import { objectAt } from '../shared/graph/drawn_node.ts';
import { Loading } from '../shared/page/loading.tsx';
import { NotFoundPage } from '../shared/page/not_found_page.tsx';
import { Page } from '../shared/page/page.tsx';
import { showError } from '../shared/errors/shown_error.ts';
import { SignatureRequest } from '../shared/wallet/signature_request.tsx';
import { CalledRuns } from './called_runs.tsx';
import { PendingInputs } from '../shared/inbox/pending_inputs.tsx';
import { RedriveButton } from './redrive_button.tsx';
import { RunErrors } from './run_errors.tsx';
import { RunFacts } from './run_facts.tsx';
import { isUuid } from '../shared/is_uuid.ts';
import { runGraphQuery, type ShownGraph } from './run_graph_query.ts';
import { RunLog } from './run_log.tsx';
import { RunNodes } from './run_nodes.tsx';
import { RunValues } from './run_values.tsx';
import { RunTransactions } from './run_transactions.tsx';
import './runs.css';
import { Section } from '../shared/page/section.tsx';
import { StartAgainButton } from './start_again_button.tsx';
import { StopButton } from '../shared/run/stop_button.tsx';
import { type LiveRun, useLiveRun } from '../shared/run/use_live_run.ts';

const NO_TITLES: ReadonlyMap<string, string> = new Map();
const NO_INPUTS: ShownGraph['inputs'] = new Map();

function RunActions({ run, isOwner }: { run: RunRow; isOwner: boolean }) {
  // A called run is stopped and redriven together with the run that called it.
  if (run.parent_flow_run_id !== null) return null;
  const hasFailed = run.status === 'failed' || run.status === 'stopped';
  return (
    <Group gap='xs'>
      {run.end_time === null && <StopButton runId={run.id} />}
      {isOwner && hasFailed && <RedriveButton run={run} />}
      {(isOwner || run.deployment_id !== null) && <StartAgainButton run={run} />}
    </Group>
  );
}

/** Says who stopped a run. The message does not have the colour of failures, because a stop is not a failure. */
function Stopped({ run }: { run: RunRow }) {
  const userId = useUserId();
  const stopper = run.stopped_by === 'owner' ? run.user_id : run.stopped_by === 'starter' ? run.started_by : null;
  return (
    <Alert color='gray' role='group' title={stopper === userId ? 'You stopped it' : 'It was stopped'}>
      Nodes that had ended before keep their results. Redrive continues the run.
    </Alert>
  );
}

function Run({ live, run, graph }: { live: LiveRun; run: RunRow; graph: ShownGraph | undefined }) {
  const [selected, setSelected] = useState<string>();
  const top = useRef<HTMLDivElement>(null);
  const titles = graph?.titles ?? NO_TITLES;
  const { isLive, isOwner } = live;
  const cluster = String(objectAt(run.chain_network).cluster ?? '');
  const selectFromAfar = (nodeId: string) => {
    setSelected(nodeId);
    top.current?.scrollIntoView({ block: 'start' });
  };
  return (
    <>
      <RunFacts run={run} isOwner={isOwner} />
      {isLive && <SignatureRequest run={run.id} runId={run.id} cluster={cluster} />}
      {isLive && <PendingInputs run={run.id} runId={run.id} titles={titles} />}
      {run.status === 'stopped' && <Stopped run={run} />}
      {run.status === 'failed' && run.errors !== null && (
        <RunErrors
          lines={run.errors}
          titles={titles}
          inputs={graph?.inputs ?? NO_INPUTS}
          onSelect={selectFromAfar}
        />
      )}
      <RunValues run={run} />
      <div ref={top} className='runs-top' />
      {graph !== undefined && (
        <RunNodes live={live} run={run} graph={graph} selected={selected} onSelect={setSelected} />
      )}
      {isOwner && <RunTransactions runId={run.id} isLive={isLive} cluster={cluster} titles={titles} />}
      <CalledRuns runId={run.id} isLive={isLive} isOwner={isOwner} titles={titles} />
      {isOwner
        ? (
          <Section title='Log'>
            <RunLog runId={run.id} isLive={isLive} titles={titles} onSelect={selectFromAfar} />
          </Section>
        )
        : <Text c='dimmed'>The nodes and the log of a run are for the owner of its flow.</Text>}
    </>
  );
}

const readFlowName = async ({ db }: Api, flowId: number, signal: AbortSignal): Promise<string> =>
  (await readFlowNames(db, [flowId], signal)).get(flowId) ?? `Flow ${flowId}`;

/** A run, during its execution and afterwards. */
export default function RunPage({ id }: { id: string }) {
  const api = useApi();
  const live = useLiveRun(id, isUuid(id));
  const { run, isOwner, error } = live;
  const { data: graph, error: graphError } = useQuery({ ...runGraphQuery(api, run), enabled: isOwner });
  const { data: name } = useQuery({
    queryKey: ['runs', 'flow name', run?.flow_id],
    queryFn: ({ signal }) => readFlowName(api, run?.flow_id ?? 0, signal),
    enabled: run !== undefined,
  });
  const isMissing = !isUuid(id) || showError(error).code === 'flow_run_not_found';
  if (isMissing) return <NotFoundPage what='run' />;
  if (run === undefined && error === null) return <Loading />;
  return (
    <Page
      title={`Run of ${name ?? (run === undefined ? 'a flow' : `flow ${run.flow_id}`)}`}
      parents={[{ title: 'Runs', href: '/runs' }]}
      description={id}
      actions={run && <RunActions run={run} isOwner={isOwner} />}
    >
      <ErrorAlert error={error ?? graphError} />
      {run !== undefined && <Run live={live} run={run} graph={graph} />}
    </Page>
  );
}
