import type { NodeState } from './node_card.tsx';

/** A sign for each state, so that users can tell states apart without their colours. */
export const STATE_ICONS: Record<NodeState, string> = {
  'not begun': '·',
  waiting: '◌',
  running: '▶',
  succeeded: '✓',
  handled: '↷',
  failed: '✕',
  'not run': '–',
  stopped: '■',
};
