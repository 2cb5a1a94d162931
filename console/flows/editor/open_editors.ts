import type { Editor } from './editor_context.tsx';

/** Editors with unsaved changes that their user has left: returning to the page restores the changes. */
const left = new Map<string, Editor>();

const keyOf = (flowId: number, userId: string): string => `${userId} ${flowId}`;

/** Keeps an editor that its user leaves, if it has unsaved changes. */
export function leaveEditor(editor: Editor, userId: string): void {
  const key = keyOf(editor.flow.id, userId);
  if (editor.store.isDirty()) left.set(key, editor);
  else left.delete(key);
}

/** Returns the kept editor of a flow, with this user's changes. */
export const leftEditor = (flowId: number, userId: string): Editor | undefined => left.get(keyOf(flowId, userId));
