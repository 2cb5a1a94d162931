import { Stack } from '@mantine/core';
import { lazy, Suspense, useContext } from 'react';
import type { PlainObject } from '../../../shared/graph/drawn_node.ts';
import { useEditor } from '../editor_context.tsx';
import { MarksContext } from '../last_run/last_run_context.tsx';
import { NodeRuns } from '../last_run/node/node_runs.tsx';
import { useNodeRuns } from '../last_run/node/use_node_runs.ts';
import { Documentation, Reference } from './node_documentation.tsx';
import { NodeFailure } from './node_failure.tsx';
import { NodeHeader } from './node_header.tsx';
import { NodeInputs } from './node_inputs.tsx';
import { NodeName } from './node_name.tsx';
import { NodeRetry } from './node_retry.tsx';

// Loaded after the first run, so that the editor's first load stays small.
const RunValues = lazy(() => import('../edge/run_values.tsx'));

interface OpenNodeProps {
  json: PlainObject;
  valuesOpen: boolean;
  onToggleValues: (isOpen: boolean) => void;
}

/** A node's fields, edges, runs, retries and failures, and last what the node does. */
export function OpenNode({ json, valuesOpen, onToggleValues }: OpenNodeProps) {
  const { isOwner } = useEditor();
  const { results, pins } = useContext(MarksContext);
  const hasValues = results.size > 0 || pins.size > 0;
  const running = useNodeRuns(json);
  const { node } = running;
  return (
    <section aria-label='Node' data-node={node.id}>
      <Stack gap='md'>
        <NodeHeader json={json} running={running} />
        <NodeInputs json={json} />
        {isOwner && hasValues && (
          <Suspense>
            <RunValues to={node} isOpen={valuesOpen} onToggle={onToggleValues} />
          </Suspense>
        )}
        <NodeName json={json} />
        {isOwner && <NodeRuns running={running} />}
        <NodeRetry json={json} />
        <NodeFailure json={json} />
        <Documentation json={json} />
        <Reference json={json} />
      </Stack>
    </section>
  );
}
