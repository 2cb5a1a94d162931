import type { Editor } from './editor_context.tsx';

/** Editors that were left with changes which are not saved: going to another page and back loses nothing. */
const left = new Map<string, Editor>();

const keyOf = (flowId: number, userId: string): string => `${userId} ${flowId}`;

/** Keeps an editor that its user leaves, if it has changes that are not saved. */
export function leaveEditor(editor: Editor, userId: string): void {
  const key = keyOf(editor.flow.id, userId);
  if (editor.store.isDirty()) left.set(key, editor);
  else left.delete(key);
}

/** The editor of a flow that this user has left, with their changes. */
export const leftEditor = (flowId: number, userId: string): Editor | undefined => left.get(keyOf(flowId, userId));
