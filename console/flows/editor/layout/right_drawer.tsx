import type { ReactNode } from 'react';
import { useEditorState } from '../editor_context.tsx';
import type { EditorState } from '../editor_store.ts';
import { nodeIdOf } from '../flow_document.ts';
import { NodePanel } from '../node_panel.tsx';
import { useResizing } from './use_resizing.ts';

/** Returns the panel of the selection; undefined if the selection has none, so that the canvas has the whole width. */
function panelOf({ document, selected }: EditorState): ReactNode {
  const [id, ...others] = selected;
  const json = others.length === 0 ? document.nodes.find((node) => nodeIdOf(node) === id) : undefined;
  return json && <NodePanel json={json} />;
}

function Panel({ children }: { children: ReactNode }) {
  const { size, handle } = useResizing({
    name: 'panel-width',
    edge: 'right',
    // At a width of 1280 the canvas keeps 70 % of the screen.
    initial: () => Math.min(420, innerWidth * 0.22),
    min: 240,
    maxShare: 0.6,
  });
  return (
    <aside className='editor-panel' style={{ width: size }}>
      <div className='editor-resize' aria-label='Width of the panel' {...handle} />
      <div className='editor-panel-content'>{children}</div>
    </aside>
  );
}

/** The drawer beside the canvas: shows what is selected. */
export function RightDrawer() {
  const panel = panelOf(useEditorState());
  return panel && <Panel>{panel}</Panel>;
}
