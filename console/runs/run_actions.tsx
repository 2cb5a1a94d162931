import { Group } from '@mantine/core';
import type { RunRow } from 'flow-deployments-client';
import { StopButton } from '../shared/run/stop_button.tsx';
import { RedriveButton } from './redrive_button.tsx';
import { StartAgainButton } from './start_again_button.tsx';

/** What the user may do with a run: stop it, redrive it, and start it again. */
export function RunActions({ run, isOwner }: { run: RunRow; isOwner: boolean }) {
  // A called run is stopped and redriven together with the run that called it.
  if (run.parent_flow_run_id !== null) return null;
  const hasFailed = run.status === 'failed' || run.status === 'stopped';
  return (
    <Group gap='xs'>
      {run.end_time === null && <StopButton runId={run.id} />}
      {isOwner && hasFailed && <RedriveButton run={run} />}
      {(isOwner || run.deployment_id !== null) && <StartAgainButton run={run} />}
    </Group>
  );
}
