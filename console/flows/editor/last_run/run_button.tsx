import { ActionIcon, Button } from '@mantine/core';
import type { RunStatus } from 'flow-deployments-client';
import { Icon, type IconName } from '../../../shared/icon.tsx';
import { useDrawers } from '../layout/drawers.tsx';
import { useLastRun } from './last_run_context.tsx';

const LOOKS: Partial<Record<RunStatus, { icon: IconName; color: string }>> = {
  succeeded: { icon: 'check', color: 'teal' },
  failed: { icon: 'close', color: 'red' },
};

/** Opens the last run below the canvas, or closes it. */
function ResultsButton({ status }: { status: RunStatus }) {
  const { current, open, close } = useDrawers();
  const { icon, color } = LOOKS[status] ?? { icon: 'clock', color: 'gray' };
  const isOpen = current === 'run';
  return (
    <ActionIcon
      variant='subtle'
      size='lg'
      color={color}
      aria-label={isOpen ? 'Hide the results' : 'Show the results'}
      title={`${isOpen ? 'Hide' : 'Show'} the results: ${status}`}
      onClick={() => isOpen ? close() : open('run')}
    >
      <Icon name={icon} />
    </ActionIcon>
  );
}

/** Runs the flow as it is drawn. */
export function RunButton() {
  const { row, run, isStarting } = useLastRun();
  return (
    <>
      {row !== undefined && <ResultsButton status={row.status} />}
      <Button size='xs' loading={isStarting} onClick={() => run()}>Run</Button>
    </>
  );
}
