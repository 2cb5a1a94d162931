import type { DrawnNode } from './drawn_node.ts';
import { type ConnectedPorts, NO_PORTS, type ShownPorts, shownPorts } from './shown_ports.ts';

// The heights of a node's parts, which `graph.css` also sets. By these heights, the canvas knows the size of a node and
// the ends of its edges before it draws the node.

/** The width of a node. */
export const NODE_WIDTH = 240;
const HEADER_HEIGHT = 41;
export const PORT_HEIGHT = 26;
const PORTS_PADDING = 6;
/** The line with the state of a node in a run. */
const STATE_HEIGHT = 24;
/** The lines with a node's faults. */
const FAULTS_HEIGHT = 62;
/** The top and the bottom border together. */
const BORDERS = 2;

/** The lines above the ports of a node. */
export interface LinesAbove {
  hasState: boolean;
  hasFaults: boolean;
}

export const NO_LINES: LinesAbove = { hasState: false, hasFaults: false };

/** The distance of the first port from the top of a node. */
export const portsTop = ({ hasState, hasFaults }: LinesAbove): number =>
  BORDERS / 2 + HEADER_HEIGHT + (hasState ? STATE_HEIGHT : 0) + (hasFaults ? FAULTS_HEIGHT : 0) + PORTS_PADDING;

/** The height of a node that shows these ports. */
export function shownHeight({ inputs, outputs, hidden, isExpanded }: ShownPorts, above: LinesAbove = NO_LINES): number {
  const rows = inputs.length + outputs.length + (hidden > 0 || isExpanded ? 1 : 0);
  return portsTop(above) + PORT_HEIGHT * rows + PORTS_PADDING + BORDERS / 2;
}

/** The height of a node with these edges. */
export const nodeHeight = (node: DrawnNode, connected: ConnectedPorts = NO_PORTS): number =>
  shownHeight(shownPorts(node, connected));
