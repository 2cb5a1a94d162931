import { Button, Group, Stack, Text, Title } from '@mantine/core';
import type { ValueMap } from 'flow-deployments-client';
import { lazy, Suspense, useState } from 'react';
import type { PlainObject } from '../../../../shared/graph/drawn_node.ts';
import { plainText } from '../../../../shared/plain_json.ts';
import { useEditor, useEditorState } from '../../editor_context.tsx';
import { drawnNode } from '../../view.ts';
import { useLastRun } from '../last_run_context.tsx';
import '../last_run.css';
import { carriedValues, changedValues, readTyped } from '../store/edited_values.ts';
import { nodesInScope, type RunScope } from '../store/reach.ts';
import { useExecutionValues } from '../store/use_execution_values.ts';
import { PinControls } from './pin_controls.tsx';

const NodeOutcome = lazy(async () => ({ default: (await import('./node_outcome.tsx')).NodeOutcome }));
const ValuesEditor = lazy(async () => ({ default: (await import('./values_editor.tsx')).ValuesEditor }));

const BUTTONS: [scope: RunScope, label: string][] = [
  ['this node', 'Run this node'],
  ['to here', 'Run to here'],
  ['from here', 'Run from here'],
];

/**
 * Runs the selected node, alone or with all nodes before or after it. Nodes that are not executed supply their values
 * from earlier runs.
 */
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
  // If the failed run executed only this node, the retry also executes only this node.
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
          <Suspense>
            <ValuesEditor text={text} fault={fault} onChange={setText} />
          </Suspense>
        )}
      <PinControls node={node} />
      {result === undefined ? <Text size='sm' c='dimmed'>It has not run yet.</Text> : (
        <Suspense>
          <NodeOutcome
            node={node}
            result={result}
            values={values}
            onRetry={() => runScope(isAlone ? 'this node' : 'from here')}
          />
        </Suspense>
      )}
    </Stack>
  );
}
