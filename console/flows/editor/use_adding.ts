import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useReactFlow } from '@xyflow/react';
import type { RefObject } from 'react';
import { useApi } from '../../shared/api.tsx';
import { type Point, readNode, readPosition } from '../../shared/graph/drawn_node.ts';
import { NODE_WIDTH, nodeHeight } from '../../shared/graph/node_size.ts';
import { makeNode } from './definition.ts';
import { readDefinition } from './definitions.ts';
import { useEditor } from './editor_context.tsx';
import { nodeIdOf } from './flow_document.ts';
import { freePlace } from './free_place.ts';

/** Distance between the selected node and a new one to its right. */
const BESIDE = 80;

/** Moves the focus to a node on the canvas, unless the user writes elsewhere by now. */
function focusNode(canvas: HTMLElement | null, id: string): void {
  const { activeElement } = document;
  if (canvas === null || (activeElement !== document.body && !canvas.contains(activeElement))) return;
  canvas.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`)?.focus({ preventScroll: true });
}

/** Chooses positions for nodes that were not dropped at a position. */
function usePlaces(canvas: RefObject<HTMLElement | null>) {
  const { store } = useEditor();
  const { screenToFlowPosition, flowToScreenPosition, setCenter, getZoom } = useReactFlow();
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
    /** Moves the view to a node that is not wholly visible. */
    reveal({ x, y }: Point, height: number): void {
      const box = canvas.current!.getBoundingClientRect();
      const [start, end] = [{ x, y }, { x: x + NODE_WIDTH, y: y + height }].map((corner) =>
        flowToScreenPosition(corner)
      );
      const isSeen = start!.x >= box.left && start!.y >= box.top && end!.x <= box.right && end!.y <= box.bottom;
      if (!isSeen) void setCenter(x + NODE_WIDTH / 2, y + height / 2, { zoom: getZoom() });
    },
  };
}

/** Adds nodes of definitions: where they are dropped, or at a free position. */
export function useAdding(canvas: RefObject<HTMLElement | null>) {
  const { store } = useEditor();
  const { db } = useApi();
  const queryClient = useQueryClient();
  const places = usePlaces(canvas);
  const { mutate, error } = useMutation({
    mutationFn: async ({ id, at }: { id: string; at?: Point }) => {
      const definition = await queryClient.fetchQuery({
        queryKey: ['nodes', 'definition', id],
        queryFn: () => readDefinition(db, id),
        staleTime: 60_000,
      });
      const node = makeNode(definition);
      const height = nodeHeight(readNode(node));
      const position = at ?? places.choose(height);
      store.change((document) => ({ ...document, nodes: [...document.nodes, { ...node, position }] }));
      store.select(new Set([nodeIdOf(node)]));
      // The panel of the new node has opened by then, so the canvas has its new width.
      requestAnimationFrame(() => {
        places.reveal(position, height);
        focusNode(canvas.current, nodeIdOf(node));
      });
    },
  });
  return { add: mutate, error };
}
