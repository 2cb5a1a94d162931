import { Button, CloseButton, Group, Stack, Text, Title } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { PlainObject } from '../../../shared/graph/drawn_node.ts';
import { useEditor } from '../editor_context.tsx';
import { RunButtons } from '../last_run/node/run_buttons.tsx';
import type { NodeRunning } from '../last_run/node/use_node_runs.ts';
import { isDisabled, toggleDisabled } from '../selection/disable.ts';

// Loaded when the node has run, so that the editor's first load stays small.
const NodeOutcome = lazy(async () => ({ default: (await import('../last_run/node/node_outcome.tsx')).NodeOutcome }));

/** Says that the node is disabled, and enables it. */
function DisabledNote() {
  const { store } = useEditor();
  return (
    <Group gap='xs'>
      <Text size='sm'>Disabled: a run hands the first input on instead of executing the node.</Text>
      <Button size='compact-xs' variant='default' onClick={() => toggleDisabled(store)}>Enable</Button>
    </Group>
  );
}

/** The name of the node, the buttons that run it, and its result in the last run. */
export function NodeHeader({ json, running }: { json: PlainObject; running: NodeRunning }) {
  const { store, isOwner } = useEditor();
  const { node, result, values, retry } = running;
  return (
    <Stack gap='xs'>
      <Group justify='space-between' wrap='nowrap' align='flex-start'>
        <Title order={2} size='h4' className='console-heading'>{node.title}</Title>
        <CloseButton aria-label='Close the node' onClick={() => store.select(new Set())} />
      </Group>
      {isDisabled(json) && <DisabledNote />}
      {isOwner && <RunButtons running={running} />}
      {isOwner && result !== undefined && (
        <Suspense>
          <NodeOutcome node={node} result={result} values={values} onRetry={retry} />
        </Suspense>
      )}
    </Stack>
  );
}
