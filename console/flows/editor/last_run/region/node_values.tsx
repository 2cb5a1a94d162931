import { Badge, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../../../shared/api.tsx';
import type { DrawnNode } from '../../../../shared/graph/drawn_node.ts';
import { JsonView } from '../../../../shared/json_view.tsx';
import { describeDuration, msBetween } from '../../../../shared/run/duration.ts';
import { runKey } from '../../../../shared/use_run_events.ts';
import { Failure } from '../failure.tsx';
import { useLastRun } from '../last_run_context.tsx';
import { NodeStateBadge } from '../node_state_badge.tsx';
import { shownExecution, useExecutionValues } from '../store/use_execution_values.ts';

/** The most log lines of a node. The page of the run shows all. */
const LINES = 100;

/** The lines that a node has logged. */
function NodeLog({ runId, nodeId, isLive }: { runId: string; nodeId: string; isLive: boolean }) {
  const { db } = useApi();
  const { data: lines = [] } = useQuery({
    queryKey: [...runKey(runId), 'log', 'of node', nodeId, { isLive }],
    queryFn: async ({ signal }) => {
      const { data } = await db.from('flow_run_logs').select('log_index, log_level, content')
        .match({ flow_run_id: runId, node_id: nodeId }).order('log_index').limit(LINES)
        .abortSignal(signal).throwOnError();
      return data;
    },
  });
  if (lines.length === 0) return null;
  return (
    <div role='group' aria-label='Log'>
      <Text size='sm' fw={600}>Log</Text>
      {lines.map(({ log_index, log_level, content }) => (
        <Text key={log_index} size='sm' className='console-text'>
          {log_level !== 'Info' && `${log_level}: `}
          {content}
        </Text>
      ))}
    </div>
  );
}

/** The selected node in the last run: its state, its errors, its inputs and outputs, and its log. */
export function NodeValues({ node }: { node: DrawnNode }) {
  const { results, row } = useLastRun();
  const result = results.get(node.id);
  const { input, output } = useExecutionValues(node.id, result);
  const execution = shownExecution(result);
  const inputs = new Set(node.inputs.map(({ name }) => name));
  const isLive = result !== undefined && result.runId === row?.id && row.end_time === null;
  const duration = execution && msBetween(execution.start_time, execution.end_time);
  return (
    <Stack gap='xs' role='group' aria-label={`${node.title} in the last run`}>
      <Group gap='xs'>
        <Text size='sm' fw={600} className='console-text'>{node.title}</Text>
        {result === undefined
          ? <Text size='sm' c='dimmed'>has not run yet</Text>
          : <NodeStateBadge state={result.state} reason={result.reason} />}
        {result?.isPinned === true && <Badge variant='outline' tt='none'>pinned outputs</Badge>}
        {duration !== undefined && <Text size='sm' c='dimmed'>{describeDuration(duration)}</Text>}
        {(result?.executions.length ?? 0) > 1 && (
          <Text size='sm' c='dimmed'>{result?.executions.length} executions; shown is #{execution?.times}</Text>
        )}
      </Group>
      {result?.isNewest === false && <Text size='sm' c='dimmed'>From a run before the last one.</Text>}
      {/* If the result is from the last run, the panel of the node already lists its errors. */}
      {result?.isNewest === false &&
        execution?.errors?.map((line, index) => <Failure key={index} line={line} inputs={inputs} />)}
      {input !== undefined && <JsonView title='Inputs' value={{ M: input }} />}
      {output !== undefined && <JsonView title='Outputs' value={{ M: output }} />}
      {result !== undefined && execution !== undefined && (
        <NodeLog runId={result.runId} nodeId={node.id} isLive={isLive} />
      )}
    </Stack>
  );
}
