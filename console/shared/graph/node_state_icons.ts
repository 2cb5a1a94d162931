import type { NodeState } from './node_card.tsx';

/** A sign for each state, so that the state does not depend on its colour. */
export const STATE_ICONS: Record<NodeState, string> = {
  waiting: '◌',
  running: '▶',
  succeeded: '✓',
  handled: '↷',
  failed: '✕',
  'not run': '–',
  stopped: '■',
};
