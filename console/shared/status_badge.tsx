import { Badge } from '@mantine/core';
import type { RunStatus } from 'flow-deployments-client';

const COLOURS: Record<RunStatus, string> = {
  queued: 'gray',
  running: 'blue',
  waiting: 'yellow',
  succeeded: 'teal',
  failed: 'red',
  stopped: 'gray',
};

/** The state of a run, as text and as colour. */
export const StatusBadge = ({ status }: { status: RunStatus }) => (
  <Badge color={COLOURS[status]} variant='light' miw='max-content' className='console-status'>{status}</Badge>
);
