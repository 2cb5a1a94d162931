import { Button, Group } from '@mantine/core';
import type { RunScope } from '../store/reach.ts';
import type { NodeRunning } from './use_node_runs.ts';

const BUTTONS: [scope: RunScope, label: string][] = [
  ['this node', 'Run this node'],
  ['to here', 'Run to here'],
  ['from here', 'Run from here'],
];

/**
 * Runs the selected node, alone or with all nodes before or after it. Nodes that are not executed supply their values
 * from earlier runs.
 */
export const RunButtons = ({ running: { canRun, runScope } }: { running: NodeRunning }) => (
  <Group gap={6}>
    {BUTTONS.map(([scope, label]) => (
      <Button
        key={scope}
        size='compact-xs'
        variant='default'
        disabled={!canRun}
        aria-keyshortcuts={scope === 'from here' ? 'Control+Shift+Enter' : undefined}
        onClick={() => runScope(scope)}
      >
        {label}
      </Button>
    ))}
  </Group>
);
