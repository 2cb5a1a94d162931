import { useEffect, useEffectEvent } from 'react';
import { copyText, duplicateSelected, pasteText, removeSelected } from './actions.ts';
import { useEditor } from './editor_context.tsx';
import type { EditorStore } from './editor_store.ts';
import { nodeIdOf } from './flow_document.ts';

/** True if keys belong to the element: a text field, or a dialog. */
const isElsewhere = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    target.closest('[role=dialog]') !== null);

/** The commands of keys while no text is edited. */
const COMMANDS: Record<string, (store: EditorStore) => void> = {
  'ctrl+z': (store) => store.undo(),
  'ctrl+shift+z': (store) => store.redo(),
  'ctrl+y': (store) => store.redo(),
  'ctrl+d': duplicateSelected,
  'ctrl+a': (store) => store.select(new Set(store.state().document.nodes.map(nodeIdOf))),
  delete: removeSelected,
  backspace: removeSelected,
};

/** True for a sign such as `/`, which some keyboards type with Shift. */
const isSign = (key: string): boolean => key.length === 1 && key.toLowerCase() === key.toUpperCase();

const nameOf = ({ key, ctrlKey, metaKey, shiftKey }: KeyboardEvent): string =>
  [...(ctrlKey || metaKey ? ['ctrl'] : []), ...(shiftKey && !isSign(key) ? ['shift'] : []), key.toLowerCase()]
    .join('+');

/**
 * Ends the selection of text on the page when other nodes are selected, so that the shortcut for copying applies to the
 * newer selection.
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

/** The commands of the editor's parts. */
export interface ShortcutCommands {
  save: () => void;
  /** Opens the palette. */
  addNode: () => void;
}

/**
 * Listens to the keys of the editor and to the system's clipboard, wherever the focus is. `save` is called for its
 * shortcut even while text is edited.
 */
export function useShortcuts({ save, addNode }: ShortcutCommands): void {
  const { store, isOwner } = useEditor();
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const name = nameOf(event);
    const isAdding = isOwner && (name === '/' || name === '+');
    const command = name === 'ctrl+s'
      ? save
      : isElsewhere(event.target)
      ? undefined
      : isAdding
      ? addNode
      : COMMANDS[name];
    if (command === undefined) return;
    event.preventDefault();
    command(store);
  });
  const onCopy = useEffectEvent((event: ClipboardEvent) => {
    // If a text on the page is selected, the shortcut copies that text.
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
