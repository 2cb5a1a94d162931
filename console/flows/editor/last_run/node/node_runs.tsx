import { Button, Group, JsonInput, Stack, Text, Title } from '@mantine/core';
import type { ValueMap } from 'flow-deployments-client';
import { useState } from 'react';
import type { DrawnNode, PlainObject } from '../../../../shared/graph/drawn_node.ts';
import { JsonView } from '../../../../shared/json_view.tsx';
import { plainText } from '../../../../shared/plain_json.ts';
import { useEditor, useEditorState } from '../../editor_context.tsx';
import { drawnNode } from '../../view.ts';
import { Failure } from '../failure.tsx';
import { useLastRun } from '../last_run_context.tsx';
import { NodeStateBadge } from '../node_state_badge.tsx';
import '../last_run.css';
import { carriedValues, changedValues, readTyped } from '../store/edited_values.ts';
import { nodesInScope, type RunScope } from '../store/reach.ts';
import { type ExecutionValues, shownExecution, useExecutionValues } from '../store/use_execution_values.ts';
import { PinControls } from './pin_controls.tsx';

const BUTTONS: [scope: RunScope, label: string][] = [
  ['this node', 'Run this node'],
  ['to here', 'Run to here'],
  ['from here', 'Run from here'],
];

/** The result of the node in the last run: why it failed, or what it gave. */
function NodeOutcome({ node, values, onRetry }: { node: DrawnNode; values: ExecutionValues; onRetry: () => void }) {
  const { results } = useLastRun();
  const result = results.get(node.id);
  if (result === undefined) return <Text size='sm' c='dimmed'>It has not run yet.</Text>;
  const execution = shownExecution(result);
  const errors = execution?.errors ?? [];
  const inputs = new Set(node.inputs.map(({ name }) => name));
  return (
    <>
      <Group gap='xs'>
        <NodeStateBadge state={result.state} />
        {result.executions.length > 1 && (
          <Text size='sm' c='dimmed'>{result.executions.length} executions; shown is #{execution?.times}</Text>
        )}
        {!result.isNewest && <Text size='sm' c='dimmed'>in an earlier run</Text>}
      </Group>
      {errors.map((line, index) => (
        <Failure key={index} line={line} inputs={inputs} onRetry={index === 0 ? onRetry : undefined} />
      ))}
      {errors.length > 0 && values.input !== undefined && <JsonView title='Inputs' value={{ M: values.input }} />}
      {values.output !== undefined && <JsonView title='Outputs' value={{ M: values.output }} />}
    </>
  );
}

/** Runs the selected node alone or with its neighbours, with the values of the last run. */
export function NodeRuns({ json }: { json: PlainObject }) {
  const { store, isOwner } = useEditor();
  const { document } = useEditorState();
  const { results, outputs, only, run, isStarting } = useLastRun();
  const node = drawnNode(json);
  const result = results.get(node.id);
  const values = useExecutionValues(node.id, result);
  const [text, setText] = useState<string>();
  if (!isOwner) return null;
  const former: ValueMap = { ...values.input, ...carriedValues(document, node.id, outputs) };
  const typed = text === undefined ? undefined : readTyped(text);
  const fault = typed !== undefined && 'fault' in typed ? typed.fault : undefined;
  const runScope = (scope: RunScope) => {
    const changed = typed !== undefined && 'values' in typed && scope !== 'to here'
      ? changedValues(typed.values, former)
      : {};
    run({
      only: nodesInScope(store.state().document, node.id, scope),
      ...(Object.keys(changed).length > 0 && { inline: { [node.id]: changed } }),
    });
  };
  // A failed run of one node is tried again as such.
  const isAlone = result?.isNewest === true && only?.length === 1;
  return (
    <Stack gap='xs'>
      <Title order={3} size='h5'>Run</Title>
      <Group gap='xs'>
        {BUTTONS.map(([scope, label]) => (
          <Button
            key={scope}
            size='xs'
            variant='default'
            disabled={fault !== undefined || isStarting}
            onClick={() => runScope(scope)}
          >
            {label}
          </Button>
        ))}
      </Group>
      {text === undefined
        ? node.inputs.length > 0 && (
          <Button
            size='xs'
            variant='subtle'
            className='last-run-edit'
            onClick={() => setText(plainText({ M: former }))}
          >
            Edit the values
          </Button>
        )
        : (
          <>
            <JsonInput
              label='Inputs of the next run'
              description='Run this node and Run from here use what you change here instead of the last run’s values.'
              value={text}
              onChange={setText}
              autosize
              minRows={2}
              maxRows={12}
              error={fault}
              spellCheck={false}
            />
            <Button size='xs' variant='subtle' className='last-run-edit' onClick={() => setText(undefined)}>
              Use the last run’s values
            </Button>
          </>
        )}
      <PinControls node={node} />
      <NodeOutcome node={node} values={values} onRetry={() => runScope(isAlone ? 'this node' : 'from here')} />
    </Stack>
  );
}
