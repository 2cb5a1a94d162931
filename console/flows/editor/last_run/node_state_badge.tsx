import { Badge } from '@mantine/core';
import { STATE_ICONS } from '../../../shared/graph/node_state_icons.ts';
import type { NodeState } from '../../../shared/graph/node_card.tsx';

const COLOURS: Partial<Record<NodeState, string>> = {
  succeeded: 'teal',
  handled: 'orange',
  failed: 'red',
  running: 'blue',
};

interface NodeStateBadgeProps {
  state: NodeState;
  /** Why the node did not run. */
  reason: string | undefined;
}

/** The state of a node as a sign, a text and a colour. */
export const NodeStateBadge = ({ state, reason }: NodeStateBadgeProps) => (
  <Badge
    variant='light'
    color={COLOURS[state] ?? 'gray'}
    className='console-status'
    tt='none'
    leftSection={<span aria-hidden='true'>{STATE_ICONS[state]}</span>}
  >
    {reason === undefined ? state : `${state} ${reason}`}
  </Badge>
);
