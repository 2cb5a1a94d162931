import { Button, Stack, Title } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { plainText } from '../../../../shared/plain_json.ts';
import '../last_run.css';
import { PinControls } from './pin_controls.tsx';
import type { NodeRunning } from './use_node_runs.ts';

const ValuesEditor = lazy(async () => ({ default: (await import('./values_editor.tsx')).ValuesEditor }));

/** Edits the values of a node for its next runs, and pins its outputs. */
export const NodeRuns = ({ running: { node, former, text, setText, fault } }: { running: NodeRunning }) => (
  <Stack gap='xs'>
    <Title order={3} size='h5'>Runs</Title>
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
  </Stack>
);
