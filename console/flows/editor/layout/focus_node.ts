/** Moves the focus to a node on the canvas. Keys then move or delete the node. */
export const focusNode = (id: string): void =>
  document.querySelector<HTMLElement>(`.editor-canvas .react-flow__node[data-id="${CSS.escape(id)}"]`)
    ?.focus({ preventScroll: true });

/** Moves the focus to a new node, unless the user is typing or the focus is outside of the canvas. */
export function focusNewNode(canvas: HTMLElement | null, id: string): void {
  const { activeElement, body } = document;
  const isWriting = activeElement instanceof HTMLInputElement;
  if (!isWriting && (activeElement === body || canvas?.contains(activeElement))) focusNode(id);
}

const FIELDS = ['input:not([type=hidden])', 'textarea', '[contenteditable=true]'];

/** The frames after which the panel of a selected node has its fields, also on a slow machine. */
const FRAMES = 60;

/** Moves the focus to the first field in the panel of a node. The panel opens some frames after the node is selected. */
export function focusFirstField(id: string, frames = FRAMES): void {
  const panel = document.querySelector(`.editor-panel [data-node="${CSS.escape(id)}"]`);
  const field = panel?.querySelector<HTMLElement>(FIELDS.map((kind) => `${kind}:not(:disabled)`).join());
  if (field) field.focus();
  else if (frames > 0) requestAnimationFrame(() => focusFirstField(id, frames - 1));
}
