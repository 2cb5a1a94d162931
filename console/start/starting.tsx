import { useSessionStorage } from '@mantine/hooks';
import type { DeploymentDescription, StartedRun } from 'flow-deployments-client';
import { useState } from 'react';
import { useSession } from '../session/session_context.tsx';
import { StartedRunView } from './started_run.tsx';
import { StartForm } from './start_form.tsx';
import type { Starter } from './starter.ts';
import { WhoStarts } from './who_starts.tsx';

/** The start form of the deployment, and then the started run. */
export function Starting({ deployment, address, onSignIn }: {
  deployment: DeploymentDescription;
  /** The text that identifies the address of the page. */
  address: string;
  onSignIn: () => void;
}) {
  const session = useSession();
  // The started run is stored, so that a reload of the page finds it again.
  const [started, setStarted] = useSessionStorage<StartedRun | null>({
    key: `flow-start-${address}`,
    defaultValue: null,
    getInitialValueInEffect: false,
  });
  const [key, setKey] = useState<Starter>();
  const starter: Starter | undefined = typeof session === 'object' ? { kind: 'user', email: session.email } : key;
  if (started !== null) {
    const { cluster, node_count } = deployment;
    return (
      <StartedRunView
        started={started}
        cluster={cluster}
        nodeCount={node_count}
        onAgain={() => setStarted(null)}
      />
    );
  }
  return (
    <>
      <WhoStarts starter={starter} setStarter={setKey} onSignIn={onSignIn} />
      {starter !== undefined && (
        <StartForm
          key={starter.kind === 'key' ? starter.publicKey : starter.email}
          deployment={deployment}
          starter={starter}
          onStarted={setStarted}
        />
      )}
    </>
  );
}
