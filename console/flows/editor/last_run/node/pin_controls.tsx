import { Badge, Button, Group } from '@mantine/core';
import type { ValueMap } from 'flow-deployments-client';
import { lazy, Suspense, useState } from 'react';
import { ErrorAlert } from '../../../../shared/errors/error_alert.tsx';
import type { DrawnNode } from '../../../../shared/graph/drawn_node.ts';
import { useLastRun } from '../last_run_context.tsx';
import { usePinning } from '../store/pins.ts';

const PinDialog = lazy(async () => ({ default: (await import('./pin_dialog.tsx')).PinDialog }));

/** Returns an empty value for each output, for a node that has never run. */
const emptyOutputs = (node: DrawnNode): ValueMap =>
  Object.fromEntries(node.outputs.filter(({ name }) => name !== 'error').map(({ name }) => [name, { N: 0 }]));

/** Pins the outputs of a node. Runs of the drawn flow then use these outputs instead of executing the node. */
export function PinControls({ node }: { node: DrawnNode }) {
  const { pins, results } = useLastRun();
  const [isEditing, setEditing] = useState(false);
  const pinning = usePinning(node.id);
  const pinned = pins.get(node.id);
  const outputs = results.get(node.id)?.outputs;
  return (
    <>
      <Group gap='xs'>
        {pinned === undefined
          ? (
            <Button
              size='xs'
              variant='default'
              loading={pinning.isPending}
              onClick={() => outputs === undefined ? setEditing(true) : pinning.mutate(outputs)}
            >
              Pin
            </Button>
          )
          : (
            <>
              <Badge variant='filled' color='violet' tt='none'>Pinned</Badge>
              <Button size='xs' variant='default' onClick={() => setEditing(true)}>Edit the pinned value</Button>
              <Button
                size='xs'
                variant='default'
                loading={pinning.isPending}
                onClick={() => pinning.mutate(undefined)}
              >
                Unpin
              </Button>
            </>
          )}
      </Group>
      {!isEditing && <ErrorAlert error={pinning.error} />}
      {isEditing && (
        <Suspense>
          <PinDialog
            title={node.title}
            former={pinned ?? outputs ?? emptyOutputs(node)}
            pinning={pinning}
            onClose={() => setEditing(false)}
          />
        </Suspense>
      )}
    </>
  );
}
