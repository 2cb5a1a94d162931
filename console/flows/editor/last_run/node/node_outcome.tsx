import { Button, Group, Text } from '@mantine/core';
import type { DrawnNode } from '../../../../shared/graph/drawn_node.ts';
import { JsonView } from '../../../../shared/json_view.tsx';
import { useDrawers } from '../../layout/drawers.tsx';
import { Failure } from '../failure.tsx';
import { NodeStateBadge } from '../node_state_badge.tsx';
import type { NodeResult } from '../store/node_results.ts';
import { type ExecutionValues, shownExecution } from '../store/use_execution_values.ts';

interface NodeOutcomeProps {
  node: DrawnNode;
  result: NodeResult;
  values: ExecutionValues;
  onRetry: () => void;
}

/** The state of the node in the last run, and its errors. The drawer below the canvas shows its outputs. */
export function NodeOutcome({ node, result, values, onRetry }: NodeOutcomeProps) {
  const { current, open } = useDrawers();
  const execution = shownExecution(result);
  const errors = execution?.errors ?? [];
  const inputs = new Set(node.inputs.map(({ name }) => name));
  return (
    <>
      <Group gap='xs'>
        <NodeStateBadge state={result.state} reason={result.reason} />
        {result.executions.length > 1 && (
          <Text size='sm' c='dimmed'>{result.executions.length} executions; shown is #{execution?.times}</Text>
        )}
        {!result.isNewest && <Text size='sm' c='dimmed'>in an earlier run</Text>}
        {current !== 'run' && (
          <Button size='compact-xs' variant='subtle' onClick={() => open('run')}>Show its values</Button>
        )}
      </Group>
      {errors.map((line, index) => (
        <Failure key={index} line={line} inputs={inputs} onRetry={index === 0 ? onRetry : undefined} />
      ))}
      {errors.length > 0 && values.input !== undefined && <JsonView title='Inputs' value={{ M: values.input }} />}
    </>
  );
}
