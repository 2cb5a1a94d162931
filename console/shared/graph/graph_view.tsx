import { useComputedColorScheme } from '@mantine/core';
import { Controls, type Edge, ReactFlow } from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { useMemo } from 'react';
import { Loading } from '../page/loading.tsx';
import { drawEdges, drawNodes } from './draw_graph.ts';
import { GraphBackground } from './graph_background.tsx';
import { EdgeLayer } from './edge_layer.tsx';
import { GraphMap } from './graph_map.tsx';
import { DrawsOwnEdges, type GraphNode, nodeTypes, TogglePorts } from './graph_node.tsx';
import type { NodeState } from './node_card.tsx';
import { MANY_EDGES } from './many_edges.ts';
import { MIN_ZOOM, showAll, WHOLE_GRAPH } from './show_all.ts';
import { useExpanded } from './use_expanded.ts';
import { type PlacedGraph, usePlacedGraph } from './use_placed_graph.ts';

interface GraphViewProps {
  /** The name of the region. */
  label: string;
  /** The nodes as stored in a flow or a snapshot. */
  nodes: readonly unknown[];
  edges: readonly unknown[];
  /** The state of each node in a run, by its id. */
  states?: ReadonlyMap<string, NodeState>;
  /** The faults of nodes, by their ids. */
  faults?: ReadonlyMap<string, readonly string[]>;
  /** The node that is shown as selected. */
  selected?: string | undefined;
  onSelect?: (nodeId: string) => void;
  height?: number | string;
}

const NO_EDGES: Edge[] = [];

/** Shows a graph. Nodes are at their stored positions. If nodes have no positions, a layout places them. */
export function GraphView(props: GraphViewProps) {
  const { label, nodes, edges, height = 480 } = props;
  const graph = usePlacedGraph(nodes, edges);
  return (
    <section aria-label={label} className='graph-canvas' style={{ height }}>
      {graph === undefined ? <Loading label='Laying out the graph' /> : <PlacedGraphView {...props} graph={graph} />}
    </section>
  );
}

function PlacedGraphView(props: GraphViewProps & { graph: PlacedGraph }) {
  const { label, graph, states, faults, selected, onSelect } = props;
  const colorMode = useComputedColorScheme('light');
  const [expanded, toggle] = useExpanded();
  const drawn = useMemo(
    () => drawNodes(graph, { states, faults, selected, expanded }),
    [graph, states, faults, selected, expanded],
  );
  const edges = useMemo(() => drawEdges(graph.edges, selected), [graph.edges, selected]);
  const hasMany = edges.length > MANY_EDGES;
  return (
    <TogglePorts value={toggle}>
      <DrawsOwnEdges value={hasMany}>
        <ReactFlow<GraphNode>
          nodes={drawn}
          edges={hasMany ? NO_EDGES : edges}
          nodeTypes={nodeTypes}
          colorMode={colorMode}
          nodesDraggable={false}
          nodesConnectable={false}
          edgesFocusable={false}
          onlyRenderVisibleElements
          onInit={showAll}
          minZoom={MIN_ZOOM}
          onNodesChange={(changes) => {
            const chosen = changes.find((change) => change.type === 'select' && change.selected);
            if (chosen?.type === 'select') onSelect?.(chosen.id);
          }}
        >
          <GraphBackground />
          <Controls showInteractive={false} fitViewOptions={WHOLE_GRAPH} />
          {hasMany && <EdgeLayer nodes={drawn} edges={edges} />}
          <GraphMap nodes={drawn.length} label={`Map of ${label}`} />
        </ReactFlow>
      </DrawsOwnEdges>
    </TogglePorts>
  );
}
