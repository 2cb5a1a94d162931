import { type Point, readEdge, readPosition } from '../../../shared/graph/drawn_node.ts';
import { NODE_WIDTH, nodeHeight } from '../../../shared/graph/node_size.ts';
import { connectedPorts } from '../../../shared/graph/shown_ports.ts';
import type { FlowDocument } from '../flow_document.ts';
import { drawnNode } from '../view.ts';

/** Distance of a new node from others. */
const GAP = 30;

/**
 * Finds a position at which a node of this height overlaps no other node: the wanted position, or the next free one
 * below.
 */
export function freePlace({ nodes, edges }: FlowDocument, wanted: Point, height: number): Point {
  const connected = connectedPorts(edges.map(readEdge));
  const inTheWay = nodes.flatMap((json) => {
    const place = readPosition(json);
    if (place === undefined || Math.abs(place.x - wanted.x) >= NODE_WIDTH + GAP) return [];
    return [{ top: place.y, bottom: place.y + nodeHeight(drawnNode(json), connected) }];
  }).sort((a, b) => a.top - b.top);
  let { y } = wanted;
  for (const { top, bottom } of inTheWay) {
    if (y < bottom + GAP && y + height + GAP > top) y = bottom + GAP;
  }
  return { x: wanted.x, y };
}
