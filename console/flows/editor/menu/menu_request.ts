import type { Point } from '../../../shared/graph/drawn_node.ts';
import type { EditorStore } from '../editor_store.ts';

/** A request to open the context menu. */
export interface MenuRequest {
  /** What the menu is about. */
  of: 'selection' | 'canvas';
  /** The place in the window, in pixels. */
  at: Point;
}

const CANVAS = '.editor-canvas';

/**
 * Selects the node or the edge of an element, unless it is selected. Returns what a menu at the element is about.
 * `nearEdge` is the edge beside a place of the canvas.
 */
function selectAt(store: EditorStore, element: Element | null, nearEdge?: number): MenuRequest['of'] {
  const { selected, selectedEdges } = store.state();
  const node = element?.closest<HTMLElement>('.react-flow__node')?.dataset.id;
  const edge = element?.closest('.react-flow__edge')?.getAttribute('data-id') ?? nearEdge;
  if (node !== undefined) {
    if (!selected.has(node)) store.select(new Set([node]));
    return 'selection';
  }
  if (edge !== undefined) {
    if (!selectedEdges.has(Number(edge))) store.select(new Set(), new Set([Number(edge)]));
    return 'selection';
  }
  // React Flow draws a rectangle over several selected nodes.
  return element?.closest('.react-flow__nodesselection') ? 'selection' : 'canvas';
}

/** Returns the request for the menu of the focused element: of its node or edge, of the selection, or of the canvas. */
export function menuAt(store: EditorStore, focused: Element | null): MenuRequest {
  const inCanvas = focused?.closest(CANVAS) ? focused : null;
  const of = selectAt(store, inCanvas);
  const { selected, selectedEdges } = store.state();
  const hasSelection = selected.size + selectedEdges.size > 0;
  const element = (of === 'selection' ? inCanvas : null) ?? document.querySelector(CANVAS);
  const { left, top, width, height } = element!.getBoundingClientRect();
  const at = { x: left + width / 2, y: top + Math.min(height / 2, 60) };
  return { of: of === 'canvas' && hasSelection && inCanvas === null ? 'selection' : of, at };
}

/**
 * Returns the request for the menu at the pointer; undefined outside of the graph, where the browser shows its own.
 * `edgeNear` finds an edge that is drawn without an element of its own.
 */
export function menuAtPointer(
  store: EditorStore,
  target: EventTarget,
  at: Point,
  edgeNear: (at: Point) => number | undefined,
): MenuRequest | undefined {
  if (!(target instanceof Element) || target.closest('.react-flow') === null) return undefined;
  const isPane = target.classList.contains('react-flow__pane');
  return { of: selectAt(store, target, isPane ? edgeNear(at) : undefined), at };
}
