import { useEffect, useEffectEvent } from 'react';
import { copyText, pasteText, removeSelected } from '../actions.ts';
import { useEditor } from '../editor_context.tsx';
import type { EditorStore } from '../editor_store.ts';
import { type CommandTarget, shortcutOf } from './shortcut_table.ts';

/** True if the element that gets a key handles keys itself: a text field, or an element of a dialog. */
const isElsewhere = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    target.closest('[role=dialog]') !== null);

/**
 * When the user selects other nodes, unselects any text on the page, so that the copy shortcut copies the nodes and not
 * the text.
 */
function endTextSelections(store: EditorStore): () => void {
  let { selected } = store.state();
  return store.subscribe(() => {
    const before = selected;
    ({ selected } = store.state());
    if (selected === before || selected.size === 0 || isElsewhere(document.activeElement)) return;
    getSelection()?.removeAllRanges();
  });
}

/** Listens to the editor's shortcuts and to copy, cut and paste on the whole page. */
export function useShortcuts(target: CommandTarget): void {
  const { store, isOwner } = useEditor();
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { command, isForText, isForOwner } = shortcutOf(event) ?? {};
    if (command === undefined || event.defaultPrevented || (isForOwner && !isOwner)) return;
    if (isElsewhere(event.target) && !isForText) return;
    event.preventDefault();
    command(target);
  });
  const onCopy = useEffectEvent((event: ClipboardEvent) => {
    // If a text on the page is selected, the browser copies that text.
    const isMarked = getSelection()?.isCollapsed === false;
    const text = isMarked || isElsewhere(event.target) ? undefined : copyText(store);
    if (text === undefined) return;
    event.preventDefault();
    event.clipboardData?.setData('text/plain', text);
    if (event.type === 'cut' && isOwner) removeSelected(store);
  });
  const onPaste = useEffectEvent((event: ClipboardEvent) => {
    if (isElsewhere(event.target) || !pasteText(store, event.clipboardData?.getData('text/plain') ?? '')) return;
    event.preventDefault();
  });
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    document.addEventListener('keydown', (event) => onKey(event), { signal });
    document.addEventListener('copy', (event) => onCopy(event), { signal });
    document.addEventListener('cut', (event) => onCopy(event), { signal });
    document.addEventListener('paste', (event) => onPaste(event), { signal });
    return () => stop.abort();
  }, []);
  useEffect(() => endTextSelections(store), [store]);
}
