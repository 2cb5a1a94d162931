import { useComputedColorScheme } from '@mantine/core';
import { type Edge, ReactFlow, useReactFlow, useStore } from '@xyflow/react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Loading } from '../page/loading.tsx';
import { drawEdges, drawNodes } from './draw_graph.ts';
import { DrawsOwnEdges, type GraphNode, nodeTypes, TogglePorts } from './graph_node.tsx';
import { GraphParts } from './graph_parts.tsx';
import type { NodeState } from './node_card.tsx';
import { MANY_EDGES } from './many_edges.ts';
import { makeRouting } from './routes/route_edges.ts';
import { routedEdgeTypes } from './routes/routed_edge.tsx';
import { MIN_ZOOM, showAll } from './show_all.ts';
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
  /** Why nodes did not run, by their ids. */
  reasons?: ReadonlyMap<string, string>;
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

/** Shows all nodes again when the canvas gets another width, such as beside the panel of a selected node. */
function FitWidth() {
  const { fitView } = useReactFlow();
  const width = useStore((state) => state.width);
  const before = useRef(0);
  useEffect(() => {
    if (before.current > 0 && width > 0 && before.current !== width) showAll({ fitView });
    before.current = width;
  }, [width, fitView]);
  return null;
}

function PlacedGraphView(props: GraphViewProps & { graph: PlacedGraph }) {
  const { label, graph, states, reasons, faults, selected, onSelect } = props;
  const colorMode = useComputedColorScheme('light');
  const [expanded, toggle] = useExpanded();
  const drawn = useMemo(
    () => drawNodes(graph, { states, reasons, faults, selected, expanded }),
    [graph, states, reasons, faults, selected, expanded],
  );
  const edges = useMemo(() => drawEdges(graph.edges, selected), [graph.edges, selected]);
  const hasMany = edges.length > MANY_EDGES;
  const [routeEdges] = useState(makeRouting);
  const routed = useMemo(() => hasMany ? NO_EDGES : routeEdges(edges, drawn), [hasMany, routeEdges, edges, drawn]);
  return (
    <TogglePorts value={toggle}>
      <DrawsOwnEdges value={hasMany}>
        <ReactFlow<GraphNode>
          nodes={drawn}
          edges={routed}
          nodeTypes={nodeTypes}
          edgeTypes={routedEdgeTypes}
          colorMode={colorMode}
          nodesDraggable={false}
          nodesConnectable={false}
          edgesFocusable={false}
          onlyRenderVisibleElements
          onInit={(canvas) => showAll(canvas)}
          minZoom={MIN_ZOOM}
          onNodesChange={(changes) => {
            const chosen = changes.find((change) => change.type === 'select' && change.selected);
            if (chosen?.type === 'select') onSelect?.(chosen.id);
          }}
        >
          <GraphParts nodes={drawn} edges={edges} map={`Map of ${label}`} />
          <FitWidth />
        </ReactFlow>
      </DrawsOwnEdges>
    </TogglePorts>
  );
}
