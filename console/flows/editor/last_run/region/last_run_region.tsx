import { Alert, Stack, Text } from '@mantine/core';
import { ErrorAlert } from '../../../../shared/errors/error_alert.tsx';
import { JsonView } from '../../../../shared/json_view.tsx';
import { useEditorState } from '../../editor_context.tsx';
import { nodesById } from '../../view.ts';
import { useLastRun } from '../last_run_context.tsx';
import { NodeValues } from './node_values.tsx';
import { RunErrorList } from './run_error_list.tsx';
import { RunHead } from './run_head.tsx';
import { RunRequests } from './run_requests.tsx';
import '../last_run.css';

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
        {row !== undefined && isLive && <RunRequests row={row} />}
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
