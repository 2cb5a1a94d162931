import { Alert } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { ErrorAlert } from '../../../shared/errors/error_alert.tsx';
import type { Deploying } from '../deploying/use_deploying.ts';
import { useEditor } from '../editor_context.tsx';
import type { Saving } from '../use_saving.ts';
import { Messages } from './messages.tsx';

const DeployResult = lazy(async () => ({ default: (await import('../deploying/deploy_result.tsx')).DeployResult }));

/** What the last save, deploy and addition of a node have to tell, over the upper part of the canvas. */
export function EditorMessages({ saving, deploying, addingError }: {
  saving: Saving;
  deploying: Deploying;
  addingError: unknown;
}) {
  const { isOwner } = useEditor();
  return (
    <Messages>
      {!isOwner && (
        <Alert color='blue'>
          This flow is somebody else’s. You may read it, and save a copy of your own. You can’t see its environment and
          its RPC address. A copy has no environment, and uses the public address of the cluster.
        </Alert>
      )}
      <ErrorAlert error={saving.error} />
      <ErrorAlert error={addingError} />
      {(deploying.deployed !== undefined || deploying.error !== null) && (
        <Suspense>
          <DeployResult deploying={deploying} />
        </Suspense>
      )}
    </Messages>
  );
}
