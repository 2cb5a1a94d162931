import { type Point, readEdge, readPosition } from '../../../shared/graph/drawn_node.ts';
import { NODE_WIDTH, nodeHeight } from '../../../shared/graph/node_size.ts';
import { connectedPorts } from '../../../shared/graph/shown_ports.ts';
import { type FlowDocument, moveNodes, nodeIdOf } from '../flow_document.ts';
import { membersOf } from '../notes/annotations.ts';
import { drawnNode } from '../view.ts';

/** The ways to align nodes, or to distribute them across or down. */
export type Alignment = 'left' | 'top' | 'across' | 'down';

interface Box extends Point {
  id: string;
  width: number;
  height: number;
}

function boxesOf(document: FlowDocument, ids: ReadonlySet<string>): Box[] {
  const connected = connectedPorts(document.edges.map(readEdge));
  return document.nodes.filter((json) => ids.has(nodeIdOf(json)) && membersOf(json) === undefined).map((json) => ({
    id: nodeIdOf(json),
    ...readPosition(json) ?? { x: 0, y: 0 },
    width: NODE_WIDTH,
    height: nodeHeight(drawnNode(json), connected),
  }));
}

/**
 * Moves boxes so that all gaps between the first and the last box are equal. If there is no room for gaps, the boxes
 * touch each other.
 */
function distribute(boxes: readonly Box[], axis: 'x' | 'y'): Map<string, Point> {
  const size = axis === 'x' ? 'width' : 'height';
  const ordered = boxes.toSorted((a, b) => a[axis] - b[axis]);
  const [first, last] = [ordered[0]!, ordered.at(-1)!];
  const taken = ordered.reduce((sum, box) => sum + box[size], 0);
  const gap = Math.max(0, (last[axis] + last[size] - first[axis] - taken) / (ordered.length - 1));
  let at = first[axis];
  return new Map(ordered.map((box) => {
    const place = { x: box.x, y: box.y, [axis]: Math.round(at) };
    at += box[size] + gap;
    return [box.id, place];
  }));
}

/** Aligns or distributes nodes. Changes nothing if there are fewer than two nodes. */
export function align(document: FlowDocument, ids: ReadonlySet<string>, how: Alignment): FlowDocument {
  const boxes = boxesOf(document, ids);
  if (boxes.length < 2) return document;
  if (how === 'across' || how === 'down') return moveNodes(document, distribute(boxes, how === 'across' ? 'x' : 'y'));
  const axis = how === 'left' ? 'x' : 'y';
  const edge = Math.min(...boxes.map((box) => box[axis]));
  return moveNodes(document, new Map(boxes.map(({ id, x, y }) => [id, { x, y, [axis]: edge }])));
}
