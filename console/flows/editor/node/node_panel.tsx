import { Anchor, Badge, CloseButton, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { lazy, Suspense, useContext, useEffect, useRef, useState } from 'react';
import { ErrorBoundary } from '../../../shared/errors/error_boundary.tsx';
import { objectAt, type PlainObject } from '../../../shared/graph/drawn_node.ts';
import { Loading } from '../../../shared/page/loading.tsx';
import { ValueDrop } from '../edge/value_drop.tsx';
import { useEditor } from '../editor_context.tsx';
import { changeNode, nodeIdOf } from '../flow_document.ts';
import { MarksContext } from '../last_run/last_run_context.tsx';
import { NodeRuns } from '../last_run/node/node_runs.tsx';
import { RunButtons } from '../last_run/node/run_buttons.tsx';
import { useNodeRuns } from '../last_run/node/use_node_runs.ts';
import { NodeFailure } from './node_failure.tsx';
import { NodeFields } from './node_fields.tsx';
import { NodeRetry } from './node_retry.tsx';
import { NodeWiring } from './node_wiring.tsx';
import { isAnnotation } from '../notes/annotations.ts';
import { hasNamedPorts } from '../ports/named_ports.ts';
import { drawnNode } from '../view.ts';

// These parts are loaded when they are shown, so that the editor's first load stays small.
const AnnotationPanel = lazy(async () => ({
  default: (await import('../notes/annotation_panel.tsx')).AnnotationPanel,
}));
const NodeReference = lazy(() => import('../reference/node_reference.tsx'));

/** Shows the documentation in a node's definition. */
function Documentation({ json }: { json: PlainObject }) {
  const node = drawnNode(json);
  const address = objectAt(json, 'data', 'resources').documentation_url;
  const isLink = typeof address === 'string' && address.startsWith('https://');
  return (
    <Stack gap={4}>
      <Group gap='xs'>
        <Badge variant='default' tt='none'>{node.nodeId}</Badge>
        {node.kind === 'openapi' && <Badge variant='light' tt='none'>{node.kind}</Badge>}
        {node.kind !== 'native' && node.kind !== 'openapi' && (
          <Badge color='orange' variant='light' tt='none'>{node.kind}: not executed</Badge>
        )}
      </Group>
      {node.description !== '' && <Text size='sm'>{node.description}</Text>}
      {isLink && <Anchor href={address} target='_blank' rel='noreferrer' size='sm'>Documentation</Anchor>}
    </Stack>
  );
}

function NodeName({ json }: { json: PlainObject }) {
  const { store, isOwner } = useEditor();
  const id = nodeIdOf(json);
  const data = objectAt(json, 'data');
  const key = typeof data.display_name === 'string' || typeof data.name !== 'string' ? 'display_name' : 'name';
  const value = data[key];
  return (
    <TextInput
      label='Name'
      value={typeof value === 'string' ? value : ''}
      readOnly={!isOwner}
      maxLength={200}
      onChange={(event) => {
        const text = event.currentTarget.value;
        store.change(
          (document) =>
            changeNode(document, id, (node) => ({ ...node, data: { ...objectAt(node, 'data'), [key]: text } })),
          `name ${id}`,
        );
      }}
    />
  );
}

/** The reference of the node. It is loaded when it comes into view. */
function Reference({ json }: { json: PlainObject }) {
  const place = useRef<HTMLDivElement>(null);
  const [isSeen, setIsSeen] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setIsSeen(true);
    });
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, []);
  return (
    <Stack gap='xs' ref={place}>
      <Title order={3} size='h5'>Reference</Title>
      {isSeen && (
        <Suspense fallback={<Loading label='Loading the reference' />}>
          <NodeReference node={drawnNode(json)} />
        </Suspense>
      )}
    </Stack>
  );
}

const PortSection = lazy(() => import('../ports/port_section.tsx'));
const RunValues = lazy(() => import('../edge/run_values.tsx'));
const NodeOutcome = lazy(async () => ({ default: (await import('../last_run/node/node_outcome.tsx')).NodeOutcome }));

/** A node's fields, edges, runs, retries and failures, and last what the node does. */
function OpenNode({ json }: { json: PlainObject }) {
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
            <RunValues to={node} />
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
export const NodePanel = ({ json }: { json: PlainObject }) =>
  isAnnotation(json)
    ? (
      <Suspense fallback={<Loading />}>
        <AnnotationPanel json={json} />
      </Suspense>
    )
    : <OpenNode key={nodeIdOf(json)} json={json} />;
