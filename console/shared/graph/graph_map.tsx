import { MiniMap } from '@xyflow/react';

/** From so many nodes on a map helps: fewer are seen at once, and it would cover some of them. */
const NODES_FOR_A_MAP = 20;

/** A small map of a large graph. */
export const GraphMap = ({ nodes, label }: { nodes: number; label: string }) =>
  nodes >= NODES_FOR_A_MAP && <MiniMap pannable zoomable ariaLabel={label} />;
