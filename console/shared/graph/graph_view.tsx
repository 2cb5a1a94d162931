import { useComputedColorScheme } from '@mantine/core';
import { Background, Controls, type Edge, MiniMap, ReactFlow } from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { useMemo } from 'react';
import { type DrawnEdge, type DrawnNode, readEdge, readNode, readPosition } from './drawn_node.ts';
import { nodeGeometry } from './geometry.ts';
import { type GraphNode, nodeTypes } from './graph_node.tsx';
import { layOut, NODE_WIDTH, nodeHeight, PORT_HEIGHT } from './layout.ts';
import type { NodeState } from './node_card.tsx';

export interface GraphViewProps {
  /** The name of the region. */
  label: string;
  /** As they are stored in a flow or a snapshot. */
  nodes: readonly unknown[];
  edges: readonly unknown[];
  /** What became of each node, by its id. */
  states?: ReadonlyMap<string, NodeState>;
  /** What is wrong at nodes, by their ids. */
  faults?: ReadonlyMap<string, readonly string[]>;
  /** The node that is shown as selected. */
  selected?: string | undefined;
  onSelect?: (nodeId: string) => void;
  height?: number | string;
}

/** The edges with the form of the canvas. */
const drawEdges = (edges: readonly DrawnEdge[]): Edge[] =>
  edges.map((edge, index) => ({ ...edge, id: String(index), focusable: false }));

/** About how large a node is with its state and so many lines of faults: the map shows no node without a size. */
const aboutSize = (node: DrawnNode, faults: number): Pick<GraphNode, 'initialWidth' | 'initialHeight'> => ({
  initialWidth: NODE_WIDTH,
  initialHeight: nodeHeight(node) + PORT_HEIGHT * (1 + 2 * faults),
});

/** A graph to look at: its nodes where they were drawn, or laid out where they were not. */
export function GraphView(props: GraphViewProps) {
  const { label, nodes, edges, states, faults, selected, onSelect, height = 480 } = props;
  const colorMode = useComputedColorScheme('light');
  const drawn = useMemo(() => {
    const read = nodes.map(readNode);
    const drawnEdges = edges.map(readEdge);
    const positions = nodes.map(readPosition);
    const places = positions.every((position) => position === undefined) ? layOut(read, drawnEdges) : undefined;
    return {
      edges: drawEdges(drawnEdges),
      nodes: read.map((node, index) => ({
        node,
        position: places?.get(node.id) ?? positions[index] ?? { x: 0, y: 0 },
      })),
    };
  }, [nodes, edges]);
  const shown = useMemo(() =>
    drawn.nodes.map(({ node, position }): GraphNode => ({
      id: node.id,
      type: 'drawn',
      position,
      selected: node.id === selected,
      ...(faults?.has(node.id) !== true && states === undefined
        ? nodeGeometry(node)
        : aboutSize(node, faults?.get(node.id)?.length ?? 0)),
      ariaLabel: states === undefined ? node.title : `${node.title}, ${states.get(node.id) ?? 'waiting'}`,
      data: { node, state: states?.get(node.id), faults: faults?.get(node.id) ?? [] },
    })), [drawn, states, faults, selected]);
  return (
    <section aria-label={label} className='graph-canvas' style={{ height }}>
      <ReactFlow<GraphNode>
        nodes={shown}
        edges={drawn.edges}
        nodeTypes={nodeTypes}
        colorMode={colorMode}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        onlyRenderVisibleElements
        fitView
        fitViewOptions={{ minZoom: 0.15 }}
        minZoom={0.05}
        onNodesChange={(changes) => {
          const chosen = changes.find((change) => change.type === 'select' && change.selected);
          if (chosen?.type === 'select') onSelect?.(chosen.id);
        }}
      >
        <Background />
        <Controls showInteractive={false} />
        <MiniMap pannable zoomable ariaLabel={`Map of ${label}`} />
      </ReactFlow>
    </section>
  );
}
