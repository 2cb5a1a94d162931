import type { RunRow } from 'flow-deployments-client';
import { PendingInputs } from '../shared/inbox/pending_inputs.tsx';
import { SignatureRequest } from '../shared/wallet/signature_request.tsx';
import { clusterOf } from './cluster_of.ts';

/** What a run waits for: signatures and inputs of people. */
export const RunRequests = ({ run, titles }: { run: RunRow; titles: ReadonlyMap<string, string> }) => (
  <>
    <SignatureRequest run={run.id} runId={run.id} cluster={clusterOf(run)} />
    <PendingInputs run={run.id} runId={run.id} titles={titles} />
  </>
);
