import { useQuery } from '@tanstack/react-query';
import { ReactFlowProvider } from '@xyflow/react';
import { useEffect, useMemo } from 'react';
import { useUserId } from '../../session/use_user_id.ts';
import { useApi } from '../../shared/api.tsx';
import { ErrorAlert } from '../../shared/errors/error_alert.tsx';
import { Loading } from '../../shared/page/loading.tsx';
import { NotFoundPage } from '../../shared/page/not_found_page.tsx';
import { type Flow, readFlow } from '../flow_rows.ts';
import { type Editor, EditorProvider } from './editor_context.tsx';
import { makeEditorStore } from './editor_store.ts';
import { type FlowDocument, placeNodes } from './flow_document.ts';
import { FlowEditor } from './flow_editor.tsx';
import { DrawersProvider } from './layout/drawers.tsx';
import { leaveEditor, leftEditor } from './open_editors.ts';
import { PaletteProvider } from './palette/palette_context.tsx';
import { ProblemsProvider } from './problems/problems_context.tsx';
import './editor.css';

interface OpenedFlow {
  flow: Flow;
  /** The graph, with a position for each node. */
  document: FlowDocument;
}

const openEditor = ({ flow, document }: OpenedFlow, userId: string): Editor => ({
  flow,
  isOwner: flow.user_id === userId,
  store: makeEditorStore(document, flow, flow.updated_at),
});

function OpenFlow({ opened }: { opened: OpenedFlow }) {
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

/** The editor of the flow that the address names. */
export default function EditorPage({ id }: { id: string }) {
  const { db } = useApi();
  const flowId = /^\d{1,9}$/.test(id) ? Number(id) : undefined;
  const { data: opened, error, refetch } = useQuery({
    queryKey: ['flows', 'open', flowId],
    queryFn: async ({ signal }): Promise<OpenedFlow | null> => {
      const flow = flowId === undefined ? undefined : await readFlow(db, flowId, signal);
      if (flow === undefined) return null;
      // If the layout computes positions, the flow does not count as changed. The positions are saved with the next
      // change.
      return { flow, document: await placeNodes({ nodes: flow.nodes, edges: flow.edges }, signal) };
    },
    // While the editor is open, its own copy of the flow is newer than the saved flow, so the flow is not read again.
    staleTime: Infinity,
    gcTime: 0,
  });
  if (opened) return <OpenFlow opened={opened} />;
  return (
    <div className='editor-missing'>
      {error !== null
        ? <ErrorAlert error={error} onRetry={() => void refetch()} />
        : opened === null
        ? <NotFoundPage what='flow' />
        : <Loading label='Loading the flow' />}
    </div>
  );
}
