import type { Editor } from './editor_context.tsx';

/** Editors that the user left with unsaved changes. The changes are restored when the user returns to the page. */
const left = new Map<string, Editor>();

const keyOf = (flowId: number, userId: string): string => `${userId} ${flowId}`;

/** Keeps an editor that the user leaves, if it has unsaved changes. */
export function leaveEditor(editor: Editor, userId: string): void {
  const key = keyOf(editor.flow.id, userId);
  if (editor.store.isDirty()) left.set(key, editor);
  else left.delete(key);
}

/** Returns the kept editor of a flow, with this user's changes. */
export const leftEditor = (flowId: number, userId: string): Editor | undefined => left.get(keyOf(flowId, userId));
