import { createContext, type ReactNode, use, useSyncExternalStore } from 'react';
import type { Flow } from '../flow_rows.ts';
import type { EditorState, EditorStore } from './editor_store.ts';

/** An open flow. */
export interface Editor {
  /** The flow as it was read: its id, its owner and its settings. */
  flow: Flow;
  store: EditorStore;
  /** True if the signed-in user may save the flow. */
  isOwner: boolean;
}

const EditorContext = createContext<Editor | undefined>(undefined);

export const EditorProvider = ({ editor, children }: { editor: Editor; children: ReactNode }) => (
  <EditorContext value={editor}>{children}</EditorContext>
);

/** Returns the open flow. Throws outside of an EditorProvider. */
export function useEditor(): Editor {
  const editor = use(EditorContext);
  if (editor === undefined) throw new Error('There is no EditorProvider.');
  return editor;
}

/** Returns the state of the editor. The component updates when the state changes. */
export function useEditorState(): EditorState {
  const { store } = useEditor();
  return useSyncExternalStore(store.subscribe, store.state);
}
