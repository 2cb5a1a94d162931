/** The frames after which a new node is drawn, and the panel of a selected node has its fields, on a slow machine. */
const FRAMES = 60;

/**
 * Moves the focus to a node on the canvas. Keys then move or delete the node. Returns false if the node is not drawn yet,
 * or not visible.
 */
export function focusNode(id: string): boolean {
  const node = document.querySelector<HTMLElement>(`.editor-canvas .react-flow__node[data-id="${CSS.escape(id)}"]`);
  node?.focus({ preventScroll: true });
  return node !== null && document.activeElement === node;
}

/**
 * Moves the focus to a new node, unless the user is typing or the focus is outside of the canvas. A node outside of the
 * view is drawn only some frames after the view has moved.
 */
export function focusNewNode(canvas: HTMLElement | null, id: string, frames = FRAMES): void {
  const { activeElement, body } = document;
  const isWriting = activeElement instanceof HTMLInputElement;
  if (isWriting || (activeElement !== body && !canvas?.contains(activeElement)) || focusNode(id)) return;
  if (frames > 0) requestAnimationFrame(() => focusNewNode(canvas, id, frames - 1));
}

const FIELDS = ['input:not([type=hidden])', 'textarea', '[contenteditable=true]'];

/**
 * Moves the focus to the first field or choice of the messages over the canvas, or else of the drawer below it. After a
 * failure, that is the button that opens the failed node.
 */
export function focusResults(): void {
  for (const part of document.querySelectorAll('.editor-messages, .editor-drawer-content')) {
    const control = part.querySelector<HTMLElement>('select, textarea, input:not([type=hidden]), .last-run-edit') ??
      part.querySelector<HTMLElement>('[role=group] button, button, a[href]');
    if (control !== null) return control.focus();
  }
}

/** True while a dialog covers the editor. */
export const isCovered = (): boolean => document.querySelector('[role=dialog][aria-modal=true]') !== null;

/** Presses the button that names these keys for screen readers, unless a dialog covers it. */
export function pressButton(keys: string): void {
  if (isCovered()) return;
  document.querySelector<HTMLElement>(`.editor [aria-keyshortcuts="${keys}"]:not(:disabled)`)?.click();
}

/** Moves the focus to the first field in the panel of a node. The panel opens some frames after the node is selected. */
export function focusFirstField(id: string, frames = FRAMES): void {
  const panel = document.querySelector(`.editor-panel [data-node="${CSS.escape(id)}"]`);
  // A code editor is loaded after the other fields.
  const isLoading = panel?.querySelector('.mantine-Loader-root') !== null && frames > 0;
  const field = panel?.querySelector<HTMLElement>(FIELDS.map((kind) => `${kind}:not(:disabled)`).join());
  if (field && !isLoading) field.focus();
  else if (frames > 0) requestAnimationFrame(() => focusFirstField(id, frames - 1));
}
