import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { RefObject } from 'react';
import { useApi } from '../../../shared/api.tsx';
import { readNode } from '../../../shared/graph/drawn_node.ts';
import { nodeHeight } from '../../../shared/graph/node_size.ts';
import { joinBehind } from '../connecting/join_new_node.ts';
import { makeNode } from '../definition.ts';
import { readDefinition } from '../definitions.ts';
import { useEditor } from '../editor_context.tsx';
import type { EditorStore } from '../editor_store.ts';
import { nodeIdOf } from '../flow_document.ts';
import { focusNewNode } from '../layout/focus_node.ts';
import { useReveal } from '../layout/use_reveal.ts';
import type { PaletteRequest } from '../palette/palette_context.tsx';
import { usePlaces } from './use_places.ts';

interface AddedNode extends Pick<PaletteRequest, 'at' | 'join'> {
  /** The id of the definition. */
  id: string;
}

/** Returns a function that connects a new node to the selected one. */
function joinSelected(store: EditorStore): NonNullable<PaletteRequest['join']> {
  const [id, ...others] = store.state().selected;
  return (document, added) => {
    const from = others.length === 0 ? document.nodes.find((node) => nodeIdOf(node) === id) : undefined;
    return from === undefined ? document : joinBehind(document, from, added);
  };
}

/** Adds nodes of definitions, at the position of the drop or at a free position. */
export function useAdding(canvas: RefObject<HTMLElement | null>) {
  const { store } = useEditor();
  const { db } = useApi();
  const queryClient = useQueryClient();
  const places = usePlaces(canvas);
  const reveal = useReveal();
  const { mutate, error } = useMutation({
    // Nodes are added one after the other, because a new node may be placed beside the node that was added before it.
    scope: { id: 'add a node' },
    mutationFn: async ({ id, at, join = joinSelected(store) }: AddedNode) => {
      const definition = await queryClient.fetchQuery({
        queryKey: ['nodes', 'definition', id],
        queryFn: () => readDefinition(db, id),
        staleTime: 60_000,
      });
      const node = makeNode(definition);
      const height = nodeHeight(readNode(node));
      const position = at ?? places.choose(height);
      const added = { ...node, position };
      store.change((document) => join({ ...document, nodes: [...document.nodes, added] }, added));
      store.select(new Set([nodeIdOf(node)]));
      // At the next frame the panel of the new node is open, so the canvas has its new width.
      requestAnimationFrame(() => {
        reveal(position, height);
        focusNewNode(canvas.current, nodeIdOf(node));
      });
    },
  });
  return { add: mutate, error };
}
