import { useReactFlow } from '@xyflow/react';
import { showAll } from '../../../shared/graph/show_all.ts';
import type { GraphNode } from '../../../shared/graph/graph_node.tsx';
import { TemplatesButton } from '../../templates/templates_button.tsx';
import { useEditor } from '../editor_context.tsx';

/** Shown on a canvas without nodes: the two ways to begin. */
export function FirstNode() {
  const { store } = useEditor();
  const view = useReactFlow<GraphNode>();
  return (
    <div className='editor-first'>
      <div>
        <p>Add the first node: press / or the button above.</p>
        <TemplatesButton
          label='Begin with a template'
          begin={({ nodes, edges }) => {
            store.change(() => ({ nodes, edges }));
            requestAnimationFrame(() => showAll(view));
          }}
        />
      </div>
    </div>
  );
}
