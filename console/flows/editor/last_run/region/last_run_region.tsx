import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import type { RunRow } from 'flow-deployments-client';
import { lazy, Suspense } from 'react';
import { Link } from 'wouter';
import { ErrorAlert } from '../../../../shared/errors/error_alert.tsx';
import { objectAt } from '../../../../shared/graph/drawn_node.ts';
import { JsonView } from '../../../../shared/json_view.tsx';
import { describeDuration, msBetween } from '../../../../shared/run/duration.ts';
import { StopButton } from '../../../../shared/run/stop_button.tsx';
import { readRunError } from '../../../../shared/errors/run_error.ts';
import { StatusBadge } from '../../../../shared/status_badge.tsx';
import { SignatureRequest } from '../../../../shared/wallet/signature_request.tsx';
import { useEditor, useEditorState } from '../../editor_context.tsx';
import { nodesById } from '../../view.ts';
import { Failure } from '../failure.tsx';
import { useLastRun } from '../last_run_context.tsx';
import { NodeValues } from './node_values.tsx';
import '../last_run.css';

// Loaded only when the region shows a run that has not ended, so that the editor's first load stays small.
const PendingInputs = lazy(async () => ({
  default: (await import('../../../../shared/inbox/pending_inputs.tsx')).PendingInputs,
}));

/** The signature requests and the questions that a run waits for. */
function Requests({ row }: { row: RunRow }) {
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

/** The most errors of a run that are listed. The page of the run shows all. */
const ERRORS = 5;

function RunHead({ row }: { row: RunRow }) {
  const { hasChanged, isLive, only, run, isStarting } = useLastRun();
  const duration = msBetween(row.start_time, row.end_time);
  return (
    <Group gap='sm'>
      <StatusBadge status={row.status} />
      {duration !== undefined && <Text size='sm'>{describeDuration(duration)}</Text>}
      {only !== undefined && (
        <Text size='sm' c='dimmed'>{only.length === 1 ? 'one node' : `${only.length} nodes`} of the flow</Text>
      )}
      {hasChanged && <Text size='sm' fw={600}>The flow has changed since this run.</Text>}
      <Group gap='xs' ml='auto'>
        <Anchor component={Link} href={`/runs/${row.id}`} size='sm'>Open the run</Anchor>
        {isLive
          ? <StopButton runId={row.id} />
          : <Button size='xs' variant='default' loading={isStarting} onClick={() => run()}>Start again</Button>}
      </Group>
    </Group>
  );
}

/** The errors of the run, each with the button that selects its node. */
function RunErrorList({ lines }: { lines: readonly string[] }) {
  const { store } = useEditor();
  const nodes = nodesById(useEditorState().document);
  const inputs = new Map([...nodes].map(([id, node]) => [id, new Set(node.inputs.map(({ name }) => name))]));
  return (
    <>
      {lines.slice(0, ERRORS).map((line, index) => {
        const { nodeId, code, message } = readRunError(line, inputs);
        const node = nodes.get(nodeId ?? '');
        return (
          <Stack key={index} gap={4} align='stretch'>
            {node !== undefined && (
              <Button
                size='compact-xs'
                variant='default'
                className='last-run-edit'
                onClick={() => store.select(new Set([node.id]))}
              >
                {node.title}
              </Button>
            )}
            <Failure line={code === undefined ? message : `${code}: ${message}`} inputs={inputs.get(nodeId ?? '')} />
          </Stack>
        );
      })}
      {lines.length > ERRORS && <Text size='sm' c='dimmed'>… and {lines.length - ERRORS} more</Text>}
    </>
  );
}

/** The last run of the flow: its state, its output and errors, and the values of the selected node. */
export function LastRunRegion() {
  const { row, isLive, error } = useLastRun();
  const { document, selected } = useEditorState();
  const [id, ...others] = selected;
  const node = id === undefined || others.length > 0 ? undefined : nodesById(document).get(id);
  return (
    <section aria-label='Last run' className='last-run'>
      <Stack gap='sm'>
        <ErrorAlert error={error} />
        {row === undefined && error === null && (
          <Alert variant='light' color='gray'>
            Nothing has run yet. <b>Run</b> executes the flow as it is drawn.
          </Alert>
        )}
        {row !== undefined && <RunHead row={row} />}
        {row !== undefined && isLive && <Requests row={row} />}
      </Stack>
      {row !== undefined && (
        <div className='last-run-parts'>
          <Stack gap='sm'>
            {row.errors !== null && <RunErrorList lines={row.errors} />}
            {row.output === null
              ? <Text size='sm' c='dimmed'>{isLive ? 'The output comes at the end.' : 'No output'}</Text>
              : <JsonView title='Output' value={row.output} />}
          </Stack>
          {node === undefined
            ? <Text size='sm' c='dimmed'>Select a node to see its values.</Text>
            : <NodeValues key={node.id} node={node} />}
        </div>
      )}
    </section>
  );
}
