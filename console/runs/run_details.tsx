import { Text } from '@mantine/core';
import type { RunRow } from 'flow-deployments-client';
import { useRef, useState } from 'react';
import type { LiveRun } from '../shared/run/use_live_run.ts';
import { Transcript } from './agent/transcript.tsx';
import { useAgentRun } from './agent/use_agent_run.ts';
import { CalledRuns } from './called_runs.tsx';
import { RunFacts } from './run_facts.tsx';
import { RunFailure } from './run_failure.tsx';
import { NO_TITLES, type ShownGraph } from './run_graph_query.ts';
import { RunLog } from './run_log.tsx';
import { RunNodes } from './run_nodes.tsx';
import { RunRequests } from './run_requests.tsx';
import { RunTransactions } from './run_transactions.tsx';
import { RunValues } from './run_values.tsx';

/** The parts of a run: what it waits for, its values, its nodes or transcript, its transactions, and its log. */
export function RunDetails({ live, run, graph }: { live: LiveRun; run: RunRow; graph: ShownGraph | undefined }) {
  const [selected, setSelected] = useState<string>();
  const top = useRef<HTMLDivElement>(null);
  const agent = useAgentRun(live);
  // A run that an agent has made executes steps, and not the nodes of the graph.
  const shown = agent ?? graph;
  const titles = shown?.titles ?? NO_TITLES;
  const { isLive, isOwner } = live;
  const selectFromAfar = (nodeId: string) => {
    setSelected(nodeId);
    top.current?.scrollIntoView({ block: 'start' });
  };
  return (
    <>
      <RunFacts run={run} isOwner={isOwner} />
      {isLive && <RunRequests run={run} titles={titles} />}
      <RunFailure run={run} graph={shown} onSelect={selectFromAfar} />
      <RunValues run={run} />
      <div ref={top} className='runs-top' />
      {agent !== undefined && <Transcript agent={agent} hasEnded={!isLive} />}
      {agent === undefined && graph !== undefined && (
        <RunNodes live={live} run={run} graph={graph} selected={selected} onSelect={setSelected} />
      )}
      {isOwner && <RunTransactions run={run} isLive={isLive} titles={titles} />}
      <CalledRuns runId={run.id} isLive={isLive} isOwner={isOwner} titles={titles} />
      {isOwner
        ? <RunLog runId={run.id} isLive={isLive} titles={titles} onSelect={selectFromAfar} />
        : <Text c='dimmed'>The nodes and the log of a run are for the owner of its flow.</Text>}
    </>
  );
}
