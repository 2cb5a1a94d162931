import { type NodeHandle, Position } from '@xyflow/react';
import { passedOnHandle } from './drawn_node.ts';
import { type LinesAbove, NODE_WIDTH, PORT_HEIGHT, portsTop, shownHeight } from './node_size.ts';
import type { ShownPorts } from './shown_ports.ts';

/** The size of a handle, at which edges begin and end. */
const HANDLE_SIZE = 16;

/** The size of a node, and the positions of its handles. */
interface NodeGeometry {
  measured: { width: number; height: number };
  handles: NodeHandle[];
}

/**
 * Computes the size of a node before it is drawn, so that the canvas can draw only the visible part of a large flow. If
 * it did not know the sizes, it would first draw all nodes to measure them.
 */
export function nodeGeometry(shown: ShownPorts, above: LinesAbove): NodeGeometry {
  const top = portsTop(above);
  const handleAt = (id: string, type: 'source' | 'target', row: number): NodeHandle => ({
    id,
    type,
    position: type === 'source' ? Position.Right : Position.Left,
    x: (type === 'source' ? NODE_WIDTH : 0) - HANDLE_SIZE / 2,
    y: top + PORT_HEIGHT * (row + 0.5) - HANDLE_SIZE / 2,
    width: HANDLE_SIZE,
    height: HANDLE_SIZE,
  });
  const inputs = shown.inputs.flatMap(({ id, isPassedOn }, row) => [
    handleAt(id, 'target', row),
    ...(isPassedOn ? [handleAt(passedOnHandle(id), 'source', row)] : []),
  ]);
  const outputs = shown.outputs.map(({ id }, row) => handleAt(id, 'source', shown.inputs.length + row));
  return { measured: { width: NODE_WIDTH, height: shownHeight(shown, above) }, handles: [...inputs, ...outputs] };
}
