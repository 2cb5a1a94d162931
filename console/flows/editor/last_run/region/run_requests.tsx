import type { RunRow } from 'flow-deployments-client';
import { lazy, Suspense } from 'react';
import { objectAt } from '../../../../shared/graph/drawn_node.ts';
import { SignatureRequest } from '../../../../shared/wallet/signature_request.tsx';
import { useEditorState } from '../../editor_context.tsx';
import { nodesById } from '../../view.ts';

// Loaded only when the region shows a run that has not ended, so that the editor's first load stays small.
const PendingInputs = lazy(async () => ({
  default: (await import('../../../../shared/inbox/pending_inputs.tsx')).PendingInputs,
}));

/** The signature requests and the questions that a run waits for. */
export function RunRequests({ row }: { row: RunRow }) {
  const { document } = useEditorState();
  const titles = new Map([...nodesById(document)].map(([id, { title }]) => [id, title]));
  return (
    <>
      <SignatureRequest run={row.id} runId={row.id} cluster={String(objectAt(row.chain_network).cluster ?? '')} />
      <Suspense fallback={null}>
        <PendingInputs run={row.id} runId={row.id} titles={titles} />
      </Suspense>
    </>
  );
}
