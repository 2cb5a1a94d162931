import { Alert } from '@mantine/core';
import type { RunRow } from 'flow-deployments-client';
import { useUserId } from '../session/use_user_id.ts';
import { RunErrors } from './run_errors.tsx';
import { NO_TITLES, type ShownGraph } from './run_graph_query.ts';

const NO_INPUTS: ShownGraph['inputs'] = new Map();

/** Says who stopped a run. The message does not have the colour of failures, because a stop is not a failure. */
function Stopped({ run }: { run: RunRow }) {
  const userId = useUserId();
  const stopper = run.stopped_by === 'owner' ? run.user_id : run.stopped_by === 'starter' ? run.started_by : null;
  return (
    <Alert color='gray' role='group' title={stopper === userId ? 'You stopped it' : 'It was stopped'}>
      Nodes that had ended before keep their results. Redrive continues the run.
    </Alert>
  );
}

interface RunFailureProps {
  run: RunRow;
  graph: Pick<ShownGraph, 'titles' | 'inputs'> | undefined;
  onSelect: (nodeId: string) => void;
}

/** Says why a run has not succeeded: it was stopped, or it has errors. */
export function RunFailure({ run, graph, onSelect }: RunFailureProps) {
  if (run.status === 'stopped') return <Stopped run={run} />;
  if (run.status !== 'failed' || run.errors === null) return null;
  const { titles = NO_TITLES, inputs = NO_INPUTS } = graph ?? {};
  return <RunErrors lines={run.errors} titles={titles} inputs={inputs} onSelect={onSelect} />;
}
