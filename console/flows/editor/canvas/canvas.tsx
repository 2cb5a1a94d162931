import { useComputedColorScheme } from '@mantine/core';
import { type Connection, ReactFlow, useReactFlow } from '@xyflow/react';
import type { DragEvent } from 'react';
import type { DrawnEdge, Point } from '../../../shared/graph/drawn_node.ts';
import {
  DrawsOwnEdges,
  type GraphNode,
  MarkedPorts,
  nodeTypes,
  TogglePorts,
} from '../../../shared/graph/graph_node.tsx';
import { GraphParts } from '../../../shared/graph/graph_parts.tsx';
import { MIN_ZOOM, showAll } from '../../../shared/graph/show_all.ts';
import { connect, whyRefused } from '../actions.ts';
import { useConnecting } from '../connecting/use_connecting.tsx';
import { edgeTypes } from '../edge/flow_edge.tsx';
import { useEditor } from '../editor_context.tsx';
import { FrameNode, NoteNode } from '../notes/annotation_nodes.tsx';
import { enterPanel, useEdgeSelection, useNodeChanges } from './canvas_events.ts';
import { DRAGGED_DEFINITION } from './dragged_definition.ts';
import { useDrawing } from './use_drawing.ts';

/** The kinds of nodes on the editor's canvas. */
const NODE_TYPES = { ...nodeTypes, note: NoteNode, frame: FrameNode };

const asEdge = ({ source, sourceHandle, target, targetHandle }: Connection): DrawnEdge => ({
  source,
  sourceHandle: sourceHandle ?? '',
  target,
  targetHandle: targetHandle ?? '',
});

/** The canvas on which the graph is drawn. */
export function Canvas({ onDropDefinition }: { onDropDefinition: (id: string, at: Point) => void }) {
  const { store, isOwner } = useEditor();
  const { screenToFlowPosition } = useReactFlow();
  const colorMode = useComputedColorScheme('light');
  const { nodes, edges, routed, hasMany, toggle } = useDrawing();
  const onNodesChange = useNodeChanges(hasMany);
  const { onEdgesChange, selectNear } = useEdgeSelection();
  const connecting = useConnecting();
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
              onInit={(canvas) => showAll(canvas)}
              minZoom={MIN_ZOOM}
            >
              <GraphParts nodes={nodes} edges={edges} map='Map of the flow' />
            </ReactFlow>
          </MarkedPorts>
        </DrawsOwnEdges>
      </TogglePorts>
      {connecting.element}
    </section>
  );
}
