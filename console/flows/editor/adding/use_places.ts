import { useReactFlow } from '@xyflow/react';
import type { RefObject } from 'react';
import { type Point, readPosition } from '../../../shared/graph/drawn_node.ts';
import { NODE_WIDTH } from '../../../shared/graph/node_size.ts';
import { useEditor } from '../editor_context.tsx';
import { nodeIdOf } from '../flow_document.ts';
import { freePlace } from './free_place.ts';

/** Distance between the selected node and a new one to its right. */
const BESIDE = 80;

/** Chooses positions for nodes that are added without one. */
export function usePlaces(canvas: RefObject<HTMLElement | null>) {
  const { store } = useEditor();
  const { screenToFlowPosition } = useReactFlow();
  return {
    /** Chooses a free position beside the selected node, or in the middle of the view. */
    choose(height: number): Point {
      const { document, selected } = store.state();
      const [id] = selected;
      const beside = selected.size === 1 ? document.nodes.find((node) => nodeIdOf(node) === id) : undefined;
      const place = beside && readPosition(beside);
      if (place !== undefined) return freePlace(document, { x: place.x + NODE_WIDTH + BESIDE, y: place.y }, height);
      const box = canvas.current!.getBoundingClientRect();
      const middle = screenToFlowPosition({ x: box.left + box.width / 2, y: box.top + box.height / 2 });
      return freePlace(document, { x: middle.x - NODE_WIDTH / 2, y: middle.y - height / 2 }, height);
    },
  };
}
