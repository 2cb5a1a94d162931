import { CloseButton, Group, Stack, Title } from '@mantine/core';
import { lazy, Suspense, useContext, useState } from 'react';
import { ErrorBoundary } from '../../../shared/errors/error_boundary.tsx';
import type { PlainObject } from '../../../shared/graph/drawn_node.ts';
import { Loading } from '../../../shared/page/loading.tsx';
import { ValueDrop } from '../edge/value_drop.tsx';
import { useEditor } from '../editor_context.tsx';
import { nodeIdOf } from '../flow_document.ts';
import { MarksContext } from '../last_run/last_run_context.tsx';
import { NodeRuns } from '../last_run/node/node_runs.tsx';
import { RunButtons } from '../last_run/node/run_buttons.tsx';
import { useNodeRuns } from '../last_run/node/use_node_runs.ts';
import { Documentation, Reference } from './node_documentation.tsx';
import { NodeFailure } from './node_failure.tsx';
import { NodeFields } from './node_fields.tsx';
import { NodeName } from './node_name.tsx';
import { NodeRetry } from './node_retry.tsx';
import { NodeWiring } from './node_wiring.tsx';
import { isAnnotation } from '../notes/annotations.ts';
import { hasNamedPorts } from '../ports/named_ports.ts';

// These parts are loaded when they are shown, so that the editor's first load stays small.
const AnnotationPanel = lazy(async () => ({
  default: (await import('../notes/annotation_panel.tsx')).AnnotationPanel,
}));
const PortSection = lazy(() => import('../ports/port_section.tsx'));
const RunValues = lazy(() => import('../edge/run_values.tsx'));
const NodeOutcome = lazy(async () => ({ default: (await import('../last_run/node/node_outcome.tsx')).NodeOutcome }));

interface OpenNodeProps {
  json: PlainObject;
  valuesOpen: boolean;
  onToggleValues: (isOpen: boolean) => void;
}

/** A node's fields, edges, runs, retries and failures, and last what the node does. */
function OpenNode({ json, valuesOpen, onToggleValues }: OpenNodeProps) {
  const { store, isOwner } = useEditor();
  const { results, pins } = useContext(MarksContext);
  const hasValues = results.size > 0 || pins.size > 0;
  const running = useNodeRuns(json);
  const { node, result, values, retry } = running;
  return (
    <section aria-label='Node' data-node={node.id}>
      <Stack gap='md'>
        <Stack gap='xs'>
          <Group justify='space-between' wrap='nowrap' align='flex-start'>
            <Title order={2} size='h4' className='console-heading'>{node.title}</Title>
            <CloseButton aria-label='Close the node' onClick={() => store.select(new Set())} />
          </Group>
          {isOwner && <RunButtons running={running} />}
          {isOwner && result !== undefined && (
            <Suspense>
              <NodeOutcome node={node} result={result} values={values} onRetry={retry} />
            </Suspense>
          )}
        </Stack>
        <ValueDrop node={node}>
          <ErrorBoundary>
            <NodeFields json={json} />
          </ErrorBoundary>
          {hasNamedPorts(node) && (
            <Suspense>
              <PortSection json={json} />
            </Suspense>
          )}
          <NodeWiring json={json} />
        </ValueDrop>
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

/** Shows the selected node, or the selected note or frame. */
export function NodePanel({ json }: { json: PlainObject }) {
  const [valuesOpen, setValuesOpen] = useState(false);
  return isAnnotation(json)
    ? (
      <Suspense fallback={<Loading />}>
        <AnnotationPanel json={json} />
      </Suspense>
    )
    : <OpenNode key={nodeIdOf(json)} json={json} valuesOpen={valuesOpen} onToggleValues={setValuesOpen} />;
}
