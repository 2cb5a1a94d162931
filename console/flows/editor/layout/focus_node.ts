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
