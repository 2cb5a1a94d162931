import type { MouseEvent } from 'react';
import { useEdgeNear } from '../canvas/canvas_events.ts';
import { useEditor } from '../editor_context.tsx';
import { menuAtPointer, type MenuRequest } from './menu_request.ts';

/** Returns a listener that asks for the menu at the pointer, instead of the browser's own menu. */
export function usePointerMenu(open: (request: MenuRequest) => void): (event: MouseEvent) => void {
  const { store } = useEditor();
  const edgeNear = useEdgeNear();
  return (event) => {
    const request = menuAtPointer(store, event.target, { x: event.clientX, y: event.clientY }, edgeNear);
    if (request === undefined) return;
    event.preventDefault();
    open(request);
  };
}
