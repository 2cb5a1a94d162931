import { type DrawnNode, type Point, readNode } from '../../../shared/graph/drawn_node.ts';
import { NODE_WIDTH, PORT_HEIGHT } from '../../../shared/graph/node_size.ts';
import { typesMeet } from '../../../../types/values/port_types.ts';
import { edgeStarts } from '../edge_refusals.ts';
import type { EditorStore } from '../editor_store.ts';
import { type FlowDocument, makeEdge } from '../flow_document.ts';
import type { PaletteRequest } from '../palette/palette_context.tsx';
import { type DragFrom, edgesTo, portOf } from './drag.ts';

/** Chooses the likeliest edge between a port and a new node. */
const bestEdge = (document: FlowDocument, from: DragFrom, to: DrawnNode) =>
  edgesTo(document, from, to).filter(({ reason }) => reason === undefined).toSorted((a, b) => a.rank - b.rank)[0];

/** Tests whether a new node has a port whose types fit the dragged port. */
const takes = (node: DrawnNode, { side }: DragFrom, port: ReturnType<typeof portOf>): boolean =>
  port !== undefined &&
  (side === 'output'
    ? node.inputs.some(({ types }) => typesMeet(port, types))
    : edgeStarts(node).some((start) => typesMeet(start, port.types)));

/**
 * Makes the request that opens the palette after an edge was dropped on an empty place. The editor adds the chosen node
 * at that place and connects it to the port at which the drag began.
 */
export function paletteRequest(store: EditorStore, from: DragFrom, at: Point): PaletteRequest {
  const { document } = store.state();
  const port = portOf(document, from);
  const types = port?.types.join(' or ') ?? '';
  return {
    // This place puts the first port of the new node near the pointer.
    at: { x: from.side === 'output' ? at.x : at.x - NODE_WIDTH, y: at.y - 2 * PORT_HEIGHT },
    hint: from.side === 'output' ? `Nodes that take ${types}` : `Nodes that give ${types}`,
    fits: (node) => takes(node, from, port),
    join: (changed, added) => {
      const best = bestEdge(changed, from, readNode(added));
      return best === undefined ? changed : { ...changed, edges: [...changed.edges, makeEdge(best.edge)] };
    },
  };
}
