import { useMutation } from '@tanstack/react-query';
import { useReactFlow } from '@xyflow/react';
import { useContext } from 'react';
import type { GraphNode } from '../../../shared/graph/graph_node.tsx';
import { showAll } from '../../../shared/graph/show_all.ts';
import { useEditor } from '../editor_context.tsx';
import { layOutDocument, moveNodes } from '../flow_document.ts';
import { MarksContext } from '../last_run/last_run_context.tsx';

/** Computes new positions for all nodes, moves the nodes, and then shows all of them. */
export function useLayingOut() {
  const { store } = useEditor();
  const canvas = useReactFlow<GraphNode>();
  const { results } = useContext(MarksContext);
  return useMutation({
    mutationFn: () => layOutDocument(store.state().document),
    // The user may delete nodes while the layout is computed, so only nodes that still exist are moved.
    onSuccess: (places) => {
      store.change((current) => moveNodes(current, places));
      requestAnimationFrame(() => showAll(canvas, results.size > 0));
    },
  });
}
