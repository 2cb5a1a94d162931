import { useComputedColorScheme } from '@mantine/core';
import { Controls, type Edge, ReactFlow } from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { useEffect, useMemo, useState } from 'react';
import { Loading } from '../page/loading.tsx';
import { type DrawnEdge, type DrawnNode, type Point, readEdge, readNode, readPosition } from './drawn_node.ts';
import { nodeGeometry } from './geometry.ts';
import { GraphBackground } from './graph_background.tsx';
import { EdgeLayer } from './edge_layer.tsx';
import { GraphMap } from './graph_map.tsx';
import { DrawsOwnEdges, type GraphNode, nodeTypes, TogglePorts } from './graph_node.tsx';
import { layOut } from './layout.ts';
import type { NodeState } from './node_card.tsx';
import { MANY_EDGES } from './many_edges.ts';
import { MIN_ZOOM, showAll, WHOLE_GRAPH } from './show_all.ts';
import { type ConnectedPorts, connectedPorts, shownPorts } from './shown_ports.ts';
import { useExpanded } from './use_expanded.ts';

export interface GraphViewProps {
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

/** Converts edges to the canvas's form. Edges at the selected node are marked. */
const drawEdges = (edges: readonly DrawnEdge[], selected: string | undefined): Edge[] =>
  edges.map((edge, index) => ({
    ...edge,
    id: String(index),
    focusable: false,
    ...((edge.source === selected || edge.target === selected) && { className: 'graph-edge-near' }),
  }));

const NO_EDGES: Edge[] = [];
const NO_FAULTS: readonly string[] = [];

interface PlacedGraph {
  nodes: { node: DrawnNode; position: Point }[];
  edges: DrawnEdge[];
  connected: ConnectedPorts;
}

/**
 * Returns the graph with a position for each node: the stored positions, or else those of a layout. Undefined until the
 * layout is computed.
 */
function usePlacedGraph(nodes: readonly unknown[], edges: readonly unknown[]): PlacedGraph | undefined {
  const read = useMemo(() => ({
    nodes: nodes.map((json) => ({ node: readNode(json), position: readPosition(json) })),
    edges: edges.map(readEdge),
  }), [nodes, edges]);
  const [laidOut, setLaidOut] = useState<{ of: object; places: ReadonlyMap<string, Point> }>();
  const hasPlaces = nodes.length === 0 || read.nodes.some(({ position }) => position !== undefined);
  useEffect(() => {
    if (hasPlaces) return;
    const leaving = new AbortController();
    layOut(read.nodes.map(({ node }) => node), read.edges, leaving.signal)
      .then((places) => setLaidOut({ of: read, places }), () => {});
    return () => leaving.abort();
  }, [read, hasPlaces]);
  const places = laidOut?.of === read ? laidOut.places : undefined;
  return useMemo(() => {
    if (!hasPlaces && places === undefined) return undefined;
    return {
      nodes: read.nodes.map(({ node, position }) => ({
        node,
        position: places?.get(node.id) ?? position ?? { x: 0, y: 0 },
      })),
      edges: read.edges,
      connected: connectedPorts(read.edges),
    };
  }, [read, places, hasPlaces]);
}

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
  const drawn = useMemo(() =>
    graph.nodes.map(({ node, position }): GraphNode => {
      const shown = shownPorts(node, graph.connected, expanded.has(node.id));
      const state = states === undefined ? undefined : states.get(node.id) ?? 'waiting';
      const ofNode = faults?.get(node.id) ?? NO_FAULTS;
      const geometry = nodeGeometry(shown, { hasState: state !== undefined, hasFaults: ofNode.length > 0 });
      return {
        id: node.id,
        type: 'drawn',
        position,
        selected: node.id === selected,
        ...geometry,
        ariaLabel: state === undefined ? node.title : `${node.title}, ${state}`,
        data: { node, shown, handles: geometry.handles, state, faults: ofNode },
      };
    }), [graph, states, faults, selected, expanded]);
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
