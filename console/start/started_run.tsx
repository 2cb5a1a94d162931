import { Button, Group, Loader, Progress, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { RunRow, StartedRun } from 'flow-deployments-client';
import { useApi } from '../shared/api.tsx';
import { ErrorAlert } from '../shared/errors/error_alert.tsx';
import { PendingInputs } from '../shared/inbox/pending_inputs.tsx';
import { Loading } from '../shared/page/loading.tsx';
import { Section } from '../shared/page/section.tsx';
import { StatusBadge } from '../shared/status_badge.tsx';
import { SignatureRequest } from '../shared/wallet/signature_request.tsx';
import { RunResult } from './run_result.tsx';
import { useProgress } from './use_progress.ts';

const SAYINGS: Record<RunRow['status'], string> = {
  queued: 'It waits for its turn.',
  running: 'It is under way.',
  waiting: 'It waits for an answer, a signature or another service.',
  succeeded: 'It is done.',
  failed: 'It has failed.',
  stopped: 'It was stopped.',
};

function StopButton({ run }: { run: StartedRun }) {
  const { flows } = useApi();
  const stop = useMutation({ mutationFn: () => flows.stop(run) });
  return (
    <>
      <ErrorAlert error={stop.error} />
      <Group>
        <Button variant='default' loading={stop.isPending} onClick={() => stop.mutate()}>Stop</Button>
      </Group>
    </>
  );
}

/** Shows how many nodes of a run have ended. */
const NodesDone = ({ ended, of }: { ended: number; of: number }) => (
  <Stack gap={4}>
    <Progress value={100 * ended / of} aria-label='Progress' />
    <Text size='sm' c='dimmed'>{ended} of {of} steps are done.</Text>
  </Stack>
);

interface StartedRunProps {
  started: StartedRun;
  cluster: string;
  /** The number of nodes of the run. If the flow branches, the run may execute fewer nodes. */
  nodeCount: number;
  onAgain: () => void;
}

/** The progress of a run: its status, its request for a signature, and its result. */
export function StartedRunView({ started, cluster, nodeCount, onAgain }: StartedRunProps) {
  const { run, endedNodes, error, retry } = useProgress(started);
  const hasEnded = run !== undefined && run.end_time !== null;
  return (
    <Section title='Your start'>
      <ErrorAlert error={error} onRetry={retry} />
      {run === undefined && error === null && <Loading label='Looking at the run' />}
      {run !== undefined && (
        <Group gap='sm' role='status'>
          <StatusBadge status={run.status} />
          <Text>{SAYINGS[run.status]}</Text>
          {!hasEnded && <Loader size='sm' aria-hidden />}
        </Group>
      )}
      {run !== undefined && !hasEnded && nodeCount > 0 && <NodesDone ended={endedNodes} of={nodeCount} />}
      {!hasEnded && <SignatureRequest run={started} runId={started.flow_run_id} cluster={cluster} />}
      {!hasEnded && <PendingInputs run={started} runId={started.flow_run_id} />}
      {run !== undefined && hasEnded && <RunResult run={run} cluster={cluster} />}
      <Stack>
        {run !== undefined && !hasEnded && <StopButton run={started} />}
        {(hasEnded || run === undefined && error !== null) && (
          <Group>
            <Button variant='default' onClick={onAgain}>Start again</Button>
          </Group>
        )}
        <Text size='xs' c='dimmed' className='console-text'>Run {started.flow_run_id}</Text>
      </Stack>
    </Section>
  );
}
