import type { GraphNode } from '../../../shared/graph/graph_node.tsx';
import type { FlowDocument } from '../flow_document.ts';
import { type Box, frameOf, isAnnotation, membersOf, NOTE_SIZE, textOfNote } from './annotations.ts';

const sameBox = (node: GraphNode, { x, y, width, height }: Box): boolean =>
  node.position.x === x && node.position.y === y && node.width === width && node.height === height;

function drawFrame(node: GraphNode, { x, y, width, height }: Box): GraphNode {
  const size = { width, height };
  return {
    ...node,
    ...size,
    type: 'frame',
    position: { x, y },
    measured: size,
    handles: [],
    // Frames are drawn below nodes and edges, so that the pointer reaches the nodes and edges.
    zIndex: -1,
    style: { pointerEvents: 'none' },
  };
}

/**
 * Draws notes and groups in their own forms. If a note or group has not changed, it keeps its object, so that React
 * does not draw it again.
 */
export function makeAnnotationView() {
  const notes = new WeakMap<GraphNode, GraphNode>();
  let frames = new Map<string, { base: GraphNode; node: GraphNode }>();
  return (nodes: GraphNode[], document: FlowDocument): GraphNode[] => {
    const next = new Map<string, { base: GraphNode; node: GraphNode }>();
    const drawn = nodes.map((base, index): GraphNode => {
      const json = document.nodes[index]!;
      if (!isAnnotation(json)) return base;
      if (membersOf(json) === undefined) {
        const node: GraphNode = notes.get(base) ?? {
          ...base,
          ...NOTE_SIZE,
          type: 'note',
          measured: NOTE_SIZE,
          handles: [],
          data: { ...base.data, text: textOfNote(json) },
        };
        notes.set(base, node);
        return node;
      }
      const box = frameOf(document, json);
      const former = frames.get(base.id);
      const node = former?.base === base && sameBox(former.node, box) ? former.node : drawFrame(base, box);
      next.set(base.id, { base, node });
      return node;
    });
    frames = next;
    return drawn;
  };
}
