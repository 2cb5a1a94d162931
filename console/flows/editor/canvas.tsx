import { useComputedColorScheme } from '@mantine/core';
import { type Connection, Controls, type Edge, type EdgeChange, ReactFlow, useReactFlow } from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { type DragEvent, type MouseEvent, useCallback, useMemo, useState } from 'react';
import type { DrawnEdge, Point } from '../../shared/graph/drawn_node.ts';
import { GraphBackground } from '../../shared/graph/graph_background.tsx';
import { EdgeLayer } from '../../shared/graph/edge_layer.tsx';
import { GraphMap } from '../../shared/graph/graph_map.tsx';
import { DrawsOwnEdges, type GraphNode, MarkedPorts, nodeTypes, TogglePorts } from '../../shared/graph/graph_node.tsx';
import { edgeNear, MANY_EDGES } from '../../shared/graph/many_edges.ts';
import { MIN_ZOOM, showAll, WHOLE_GRAPH } from '../../shared/graph/show_all.ts';
import { useExpanded } from '../../shared/graph/use_expanded.ts';
import { connect, whyRefused } from './actions.ts';
import { enterPanel, useNodeChanges } from './canvas_events.ts';
import { useConnecting } from './connecting/use_connecting.tsx';
import { edgeTypes, makeRouting } from './edge/flow_edge.tsx';
import { useEditor, useEditorState } from './editor_context.tsx';
import { FrameNode, NoteNode } from './notes/annotation_nodes.tsx';
import { makeEdgeView, makeNodeView } from './view.ts';

/** The data type of a definition that is dragged from the palette. */
export const DRAGGED_DEFINITION = 'application/x-flow-definition';

/** The kinds of nodes on the editor's canvas. */
const NODE_TYPES = { ...nodeTypes, note: NoteNode, frame: FrameNode };

/**
 * The greatest distance in pixels at which a click selects an edge. It is used only if `EdgeLayer` draws the edges,
 * because React Flow detects clicks on its own edges.
 */
const NEAR = 10;
const NO_EDGES: Edge[] = [];

const asEdge = ({ source, sourceHandle, target, targetHandle }: Connection): DrawnEdge => ({
  source,
  sourceHandle: sourceHandle ?? '',
  target,
  targetHandle: targetHandle ?? '',
});

/** The canvas on which the graph is drawn. */
export function Canvas({ onDropDefinition }: { onDropDefinition: (id: string, at: Point) => void }) {
  const { store, isOwner } = useEditor();
  const state = useEditorState();
  const { screenToFlowPosition, getZoom } = useReactFlow();
  const colorMode = useComputedColorScheme('light');
  const [expanded, toggle] = useExpanded();
  const [viewNodes] = useState(makeNodeView);
  const [viewEdges] = useState(makeEdgeView);
  const { document, selected, selectedEdges, faults, problems } = state;
  // The canvas's nodes and edges depend only on these parts of the state.
  const nodes = useMemo(() => viewNodes({ document, selected, faults, problems }, expanded), [
    viewNodes,
    document,
    selected,
    faults,
    problems,
    expanded,
  ]);
  const edges = useMemo(() => viewEdges({ document, selected, selectedEdges }), [
    viewEdges,
    document,
    selected,
    selectedEdges,
  ]);
  const hasMany = edges.length > MANY_EDGES;
  const [routeEdges] = useState(makeRouting);
  const routed = useMemo(() => hasMany ? NO_EDGES : routeEdges(edges, nodes), [hasMany, routeEdges, edges, nodes]);
  const onNodesChange = useNodeChanges(hasMany);
  const connecting = useConnecting();
  const onEdgesChange = useCallback((changes: EdgeChange[]) => {
    const chosen = new Set(store.state().selectedEdges);
    for (const change of changes) {
      if (change.type !== 'select') continue;
      if (change.selected) chosen.add(Number(change.id));
      else chosen.delete(Number(change.id));
    }
    store.select(store.state().selected, chosen);
  }, [store]);
  const selectNear = (event: MouseEvent) => {
    const at = screenToFlowPosition({ x: event.clientX, y: event.clientY });
    const edge = edgeNear(edges, nodes, at, NEAR / getZoom());
    if (edge !== undefined || selectedEdges.size > 0) {
      store.select(new Set(), new Set(edge === undefined ? [] : [Number(edge.id)]));
    }
  };
  const onDrop = (event: DragEvent) => {
    const id = event.dataTransfer.getData(DRAGGED_DEFINITION);
    if (id === '') return;
    event.preventDefault();
    onDropDefinition(id, screenToFlowPosition({ x: event.clientX, y: event.clientY }));
  };
  return (
    <section
      aria-label='Canvas'
      className='graph-canvas'
      onDragOver={(event) => event.dataTransfer.types.includes(DRAGGED_DEFINITION) && event.preventDefault()}
      onDrop={onDrop}
      onKeyDown={enterPanel}
    >
      <TogglePorts value={toggle}>
        <DrawsOwnEdges value={hasMany}>
          <MarkedPorts value={connecting.fits}>
            <ReactFlow<GraphNode>
              nodes={nodes}
              edges={routed}
              nodeTypes={NODE_TYPES}
              edgeTypes={edgeTypes}
              colorMode={colorMode}
              onNodesChange={onNodesChange}
              onEdgesChange={onEdgesChange}
              onConnect={(connection) => connect(store, asEdge(connection))}
              onConnectStart={connecting.onConnectStart}
              onConnectEnd={connecting.onConnectEnd}
              isValidConnection={(edge) => whyRefused(store, asEdge(edge as Connection)) === undefined}
              {...(hasMany && { onPaneClick: selectNear })}
              deleteKeyCode={null}
              nodesConnectable={isOwner}
              onlyRenderVisibleElements
              onInit={showAll}
              minZoom={MIN_ZOOM}
            >
              <GraphBackground />
              <Controls showInteractive={false} fitViewOptions={WHOLE_GRAPH} />
              {hasMany && <EdgeLayer nodes={nodes} edges={edges} />}
              <GraphMap nodes={nodes.length} label='Map of the flow' />
            </ReactFlow>
          </MarkedPorts>
        </DrawsOwnEdges>
      </TogglePorts>
      {connecting.element}
    </section>
  );
}
