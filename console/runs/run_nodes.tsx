import { Text } from '@mantine/core';
import type { RunRow } from 'flow-deployments-client';
import { useMemo } from 'react';
import { readEdge } from '../shared/graph/drawn_node.ts';
import { GraphView } from '../shared/graph/graph_view.tsx';
import { ExecutionPanel } from './execution_panel.tsx';
import { describeFailures, failuresBefore, nodeFaults, nodeStates } from '../shared/run/node_states.ts';
import type { ShownGraph } from './run_graph_query.ts';
import { Section } from '../shared/page/section.tsx';
import { Timeline } from './timeline.tsx';
import { EXECUTIONS_READ, type LiveRun } from '../shared/run/use_live_run.ts';

interface RunNodesProps {
  live: LiveRun;
  run: RunRow;
  graph: ShownGraph;
  selected: string | undefined;
  onSelect: (nodeId: string) => void;
}

const NO_CAUSES: ReadonlyMap<string, string> = new Map();

/** The graph of a run with the states of its nodes, the selected node, and the timeline. */
export function RunNodes({ live: { executions, isCut }, run, graph, selected, onSelect }: RunNodesProps) {
  const hasEnded = run.end_time !== null;
  const states = useMemo(() => nodeStates(graph.titles.keys(), executions, run), [graph, executions, run]);
  const faults = useMemo(() => nodeFaults(executions), [executions]);
  const ofSelected = useMemo(() => executions.filter(({ node_id }) => node_id === selected), [executions, selected]);
  const causes = useMemo(() => {
    const failures = hasEnded ? failuresBefore(graph.edges.map(readEdge), executions) : new Map<string, string[]>();
    return new Map(
      [...failures].map(([id, ids]) => [id, new Map(ids.map((one) => [one, graph.titles.get(one) ?? one]))]),
    );
  }, [hasEnded, graph, executions]);
  const reasons = useMemo(
    () => new Map([...causes].map(([id, titles]) => [id, describeFailures([...titles.values()])])),
    [causes],
  );
  return (
    <>
      <Section title='Graph'>
        {!graph.isFrozen && (
          <Text size='sm' c='dimmed'>
            This is the present flow. The graph that the run executed is not stored, because the run has no deployment.
          </Text>
        )}
        <div className='runs-graph' data-has-panel={selected !== undefined || undefined}>
          <GraphView
            label='Graph of the run'
            nodes={graph.nodes}
            edges={graph.edges}
            states={states}
            reasons={reasons}
            faults={faults}
            selected={selected}
            onSelect={onSelect}
            height={420}
          />
          {selected !== undefined && (
            <ExecutionPanel
              key={selected}
              runId={run.id}
              title={graph.titles.get(selected) ?? selected}
              inputs={graph.inputs.get(selected)}
              isAgent={graph.agents.has(selected)}
              executions={ofSelected}
              failedBefore={causes.get(selected) ?? NO_CAUSES}
              onSelect={onSelect}
              hasEnded={hasEnded}
            />
          )}
        </div>
        {selected === undefined && <Text size='sm' c='dimmed'>Select a node to see its values.</Text>}
      </Section>
      <Section title='Timeline'>
        {isCut && <Text size='sm' c='dimmed'>The first {EXECUTIONS_READ} executions are shown.</Text>}
        <Timeline executions={executions} titles={graph.titles} endTime={run.end_time} onSelect={onSelect} />
      </Section>
    </>
  );
}
