import { type NodeHandle, Position } from '@xyflow/react';
import { type DrawnNode, passedOnHandle } from './drawn_node.ts';
import { HEADER_HEIGHT, NODE_WIDTH, nodeHeight, PORT_HEIGHT, PORTS_PADDING } from './node_size.ts';

/** The size of an edge's end. */
const HANDLE_SIZE = 11;

function handleAt(id: string, type: 'source' | 'target', row: number): NodeHandle {
  const middle = HEADER_HEIGHT + PORTS_PADDING + PORT_HEIGHT * (row + 0.5);
  return {
    id,
    type,
    position: type === 'source' ? Position.Right : Position.Left,
    x: (type === 'source' ? NODE_WIDTH : 0) - HANDLE_SIZE / 2,
    y: middle - HANDLE_SIZE / 2,
    width: HANDLE_SIZE,
    height: HANDLE_SIZE,
  };
}

/** The size of a node, and the positions of its handles. */
export interface NodeGeometry {
  measured: { width: number; height: number };
  handles: NodeHandle[];
}

function computeGeometry(node: DrawnNode): NodeGeometry {
  const inputs = node.inputs.flatMap(({ id, isPassedOn }, row) => [
    handleAt(id, 'target', row),
    ...(isPassedOn ? [handleAt(passedOnHandle(id), 'source', row)] : []),
  ]);
  const outputs = node.outputs.map(({ id }, row) => handleAt(id, 'source', node.inputs.length + row));
  return { measured: { width: NODE_WIDTH, height: nodeHeight(node) }, handles: [...inputs, ...outputs] };
}

/** Computed geometries, so that a node always has the same objects. */
const computed = new WeakMap<DrawnNode, NodeGeometry>();

/**
 * Computes the measures of a node before it is drawn. With them the canvas draws only the visible part of a large flow;
 * otherwise it would have to draw all nodes once to measure them.
 */
export function nodeGeometry(node: DrawnNode): NodeGeometry {
  const known = computed.get(node) ?? computeGeometry(node);
  computed.set(node, known);
  return known;
}
