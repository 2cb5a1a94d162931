import { Controls, type Edge } from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { EdgeLayer } from './edge_layer.tsx';
import { GraphBackground } from './graph_background.tsx';
import { GraphMap } from './graph_map.tsx';
import type { GraphNode } from './graph_node.tsx';
import { MANY_EDGES } from './many_edges.ts';
import { WHOLE_GRAPH } from './show_all.ts';

interface GraphPartsProps {
  nodes: readonly GraphNode[];
  /** All edges of the graph, also if React Flow does not draw them. */
  edges: readonly Edge[];
  /** The name of the map. */
  map: string;
}

/** What a canvas shows beside nodes and edges: dots, the controls of the view, many edges as one layer, and a map. */
export const GraphParts = ({ nodes, edges, map }: GraphPartsProps) => (
  <>
    <GraphBackground />
    <Controls showInteractive={false} fitViewOptions={WHOLE_GRAPH} />
    {edges.length > MANY_EDGES && <EdgeLayer nodes={nodes} edges={edges} />}
    <GraphMap nodes={nodes.length} label={map} />
  </>
);
