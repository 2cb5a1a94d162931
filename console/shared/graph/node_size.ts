import type { DrawnNode } from './drawn_node.ts';

/** The width of a node. */
export const NODE_WIDTH = 240;
export const HEADER_HEIGHT = 41;
export const PORT_HEIGHT = 26;
export const PORTS_PADDING = 6;

/** The approximate height of a node. */
export const nodeHeight = ({ inputs, outputs }: DrawnNode): number =>
  HEADER_HEIGHT + 2 * PORTS_PADDING + PORT_HEIGHT * (inputs.length + outputs.length);
