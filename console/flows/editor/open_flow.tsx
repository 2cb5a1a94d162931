import { ReactFlowProvider } from '@xyflow/react';
import { useEffect, useMemo } from 'react';
import { useUserId } from '../../session/use_user_id.ts';
import type { Flow } from '../flow_rows.ts';
import { type Editor, EditorProvider } from './editor_context.tsx';
import { makeEditorStore } from './editor_store.ts';
import type { FlowDocument } from './flow_document.ts';
import { FlowEditor } from './flow_editor.tsx';
import { DrawersProvider } from './layout/drawers.tsx';
import { leaveEditor, leftEditor } from './open_editors.ts';
import { PaletteProvider } from './palette/palette_context.tsx';
import { ProblemsProvider } from './problems/problems_context.tsx';

/** A flow as the page has read it. */
export interface OpenedFlow {
  flow: Flow;
  /** The graph, with a position for each node. */
  document: FlowDocument;
}

const openEditor = ({ flow, document }: OpenedFlow, userId: string): Editor => ({
  flow,
  isOwner: flow.user_id === userId,
  store: makeEditorStore(document, flow, flow.updated_at),
});

/** The editor of a flow that was read. Unsaved changes of an earlier visit are restored. */
export function OpenFlow({ opened }: { opened: OpenedFlow }) {
  const userId = useUserId();
  const editor = useMemo(() => leftEditor(opened.flow.id, userId) ?? openEditor(opened, userId), [opened, userId]);
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (editor.store.isDirty()) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    return () => {
      removeEventListener('beforeunload', warn);
      leaveEditor(editor, userId);
    };
  }, [editor, userId]);
  return (
    <ReactFlowProvider>
      <EditorProvider editor={editor}>
        <DrawersProvider>
          <PaletteProvider>
            <ProblemsProvider>
              <FlowEditor />
            </ProblemsProvider>
          </PaletteProvider>
        </DrawersProvider>
      </EditorProvider>
    </ReactFlowProvider>
  );
}
