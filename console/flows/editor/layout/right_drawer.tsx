import { type KeyboardEvent, lazy, type ReactNode, Suspense, useLayoutEffect, useRef } from 'react';
import { Loading } from '../../../shared/page/loading.tsx';
import { useEditor, useEditorState } from '../editor_context.tsx';
import type { EditorState } from '../editor_store.ts';
import { nodeIdOf } from '../flow_document.ts';
import { NodePanel } from '../node/node_panel.tsx';
import { focusNode } from './focus_node.ts';
import { useRevealedSelection } from './use_reveal.ts';
import { useResizing } from './use_resizing.ts';

const EdgePanel = lazy(() => import('../edge/edge_panel.tsx'));

/**
 * Returns the panel for the selected node or edge. If nothing or several things are selected, returns undefined, and
 * the canvas gets the whole width.
 */
function panelOf({ document, selected, selectedEdges }: EditorState): ReactNode {
  const [edge, ...otherEdges] = selectedEdges;
  const edgeJson = edge === undefined ? undefined : document.edges[edge];
  if (edge !== undefined && edgeJson !== undefined && otherEdges.length === 0 && selected.size === 0) {
    return (
      <Suspense fallback={<Loading />}>
        <EdgePanel json={edgeJson} index={edge} />
      </Suspense>
    );
  }
  const [id, ...others] = selected;
  const json = others.length === 0 ? document.nodes.find((node) => nodeIdOf(node) === id) : undefined;
  return json && <NodePanel json={json} />;
}

/**
 * Returns a listener for Escape: it closes an open list of choices, or else moves the focus from the drawer to the
 * selected node.
 */
function useWayBack() {
  const { store } = useEditor();
  return (event: KeyboardEvent) => {
    const isTaken = event.target instanceof Element && event.target.getAttribute('aria-expanded') === 'true';
    const [id] = store.state().selected;
    if (event.key !== 'Escape' || isTaken || event.defaultPrevented || id === undefined) return;
    event.stopPropagation();
    focusNode(id);
  };
}

/** Returns the reference of the drawer's content, which scrolls to its top when the user selects something else. */
function useContentOfSelection() {
  const { selected, selectedEdges } = useEditorState();
  const content = useRef<HTMLDivElement>(null);
  const key = [...selected, '', ...selectedEdges].join(' ');
  useLayoutEffect(() => {
    if (content.current !== null) content.current.scrollTop = 0;
  }, [key]);
  return content;
}

function Panel({ children }: { children: ReactNode }) {
  const { size, handle } = useResizing({
    name: 'panel-width',
    edge: 'right',
    // In a window of 1280 pixels, the canvas keeps 70 % of the width.
    initial: () => Math.min(420, innerWidth * 0.22),
    min: 240,
    maxShare: 0.6,
  });
  const onKeyDown = useWayBack();
  const content = useContentOfSelection();
  return (
    <aside className='editor-panel' style={{ width: size }} onKeyDown={onKeyDown}>
      <div className='editor-resize' aria-label='Width of the panel' {...handle} />
      <div ref={content} className='editor-panel-content'>{children}</div>
    </aside>
  );
}

/** The drawer beside the canvas. It shows the selected node or edge. */
export function RightDrawer() {
  const panel = panelOf(useEditorState());
  useRevealedSelection();
  return panel && <Panel>{panel}</Panel>;
}
