import type { DrawnNode } from './drawn_node.ts';

/** How wide a node is drawn. */
export const NODE_WIDTH = 240;
export const HEADER_HEIGHT = 41;
export const PORT_HEIGHT = 26;
export const PORTS_PADDING = 6;

/** About how high a node is drawn. */
export const nodeHeight = ({ inputs, outputs }: DrawnNode): number =>
  HEADER_HEIGHT + 2 * PORTS_PADDING + PORT_HEIGHT * (inputs.length + outputs.length);
