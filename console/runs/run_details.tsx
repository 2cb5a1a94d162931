import { Text } from '@mantine/core';
import type { RunRow } from 'flow-deployments-client';
import { useRef, useState } from 'react';
import { objectAt } from '../shared/graph/drawn_node.ts';
import { PendingInputs } from '../shared/inbox/pending_inputs.tsx';
import type { LiveRun } from '../shared/run/use_live_run.ts';
import { SignatureRequest } from '../shared/wallet/signature_request.tsx';
import { CalledRuns } from './called_runs.tsx';
import { RunFacts } from './run_facts.tsx';
import { RunFailure } from './run_failure.tsx';
import { NO_TITLES, type ShownGraph } from './run_graph_query.ts';
import { RunLog } from './run_log.tsx';
import { RunNodes } from './run_nodes.tsx';
import { RunTransactions } from './run_transactions.tsx';
import { RunValues } from './run_values.tsx';

/** The parts of a run: what it waits for, its values, its nodes, its transactions, and its log. */
export function RunDetails({ live, run, graph }: { live: LiveRun; run: RunRow; graph: ShownGraph | undefined }) {
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
      <RunFailure run={run} graph={graph} onSelect={selectFromAfar} />
      <RunValues run={run} />
      <div ref={top} className='runs-top' />
      {graph !== undefined && (
        <RunNodes live={live} run={run} graph={graph} selected={selected} onSelect={setSelected} />
      )}
      {isOwner && <RunTransactions runId={run.id} isLive={isLive} cluster={cluster} titles={titles} />}
      <CalledRuns runId={run.id} isLive={isLive} isOwner={isOwner} titles={titles} />
      {isOwner
        ? <RunLog runId={run.id} isLive={isLive} titles={titles} onSelect={selectFromAfar} />
        : <Text c='dimmed'>The nodes and the log of a run are for the owner of its flow.</Text>}
    </>
  );
}
