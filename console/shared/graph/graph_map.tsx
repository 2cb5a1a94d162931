import { MiniMap } from '@xyflow/react';

/**
 * The least number of nodes for a map. A graph with fewer nodes is visible at once, and a map would cover some of them.
 */
const NODES_FOR_A_MAP = 20;

/** A small map of a large graph. */
export const GraphMap = ({ nodes, label }: { nodes: number; label: string }) =>
  nodes >= NODES_FOR_A_MAP && <MiniMap pannable zoomable ariaLabel={label} />;
