import { useStoreApi } from '@xyflow/react';
import { useCallback, useContext, useEffect, useRef } from 'react';
import { type Point, readPosition } from '../../../shared/graph/drawn_node.ts';
import type { GraphNode } from '../../../shared/graph/graph_node.tsx';
import { NODE_WIDTH, nodeHeight } from '../../../shared/graph/node_size.ts';
import { useEditor, useEditorState } from '../editor_context.tsx';
import { nodeIdOf } from '../flow_document.ts';
import { MarksContext } from '../last_run/last_run_context.tsx';
import { drawnNode } from '../view.ts';

/** Distance of a revealed node from the border of the canvas. */
const MARGIN = 24;

/**
 * Returns how far the stretch from `start` to `end` must move to lie between 0 and `length`. If the stretch is too
 * long, only its start does.
 */
export function shiftInto(start: number, end: number, length: number): number {
  if (start >= 0 && end <= length) return 0;
  const toEnd = Math.min(0, length - MARGIN - end);
  return start + toEnd < MARGIN ? MARGIN - start : toEnd;
}

/** The room that the values of a run take beside a node. */
const VALUES_WIDTH = 142;

/**
 * Returns a function that moves the view as little as possible, so that a whole node is visible, with its values in the
 * last run.
 */
export function useReveal() {
  const canvas = useStoreApi<GraphNode>();
  const { results } = useContext(MarksContext);
  const width = results.size > 0 ? NODE_WIDTH + VALUES_WIDTH : NODE_WIDTH;
  return useCallback(({ x, y }: Point, height: number): void => {
    const { domNode, transform: [left, top, zoom], panBy } = canvas.getState();
    // The box is read from the element, because the canvas updates its own size only after the next frame.
    const box = domNode!.getBoundingClientRect();
    const shift = {
      x: shiftInto(left + x * zoom, left + (x + width) * zoom, box.width),
      y: shiftInto(top + y * zoom, top + (y + height) * zoom, box.height),
    };
    if (shift.x !== 0 || shift.y !== 0) void panBy(shift);
  }, [canvas, width]);
}

/**
 * Calls a function at the next frame. If a pointer is pressed, first waits for its release, so that the view does not
 * move during a drag.
 */
function afterPress(isPressed: boolean, show: () => void): () => void {
  const stop = new AbortController();
  const plan = () =>
    requestAnimationFrame(() => {
      if (!stop.signal.aborted) show();
    });
  if (isPressed) document.addEventListener('pointerup', plan, { once: true, signal: stop.signal });
  else plan();
  return () => stop.abort();
}

/** Returns a ref that is true while a pointer is pressed. */
function usePressed() {
  const isPressed = useRef(false);
  useEffect(() => {
    const stop = new AbortController();
    const options = { capture: true, signal: stop.signal };
    document.addEventListener('pointerdown', () => (isPressed.current = true), options);
    document.addEventListener('pointerup', () => (isPressed.current = false), options);
    return () => stop.abort();
  }, []);
  return isPressed;
}

/** When the user selects a single node, moves the view to this node, because the opened drawer may cover it. */
export function useRevealedSelection(): void {
  const { store } = useEditor();
  const { selected } = useEditorState();
  const reveal = useReveal();
  const isPressed = usePressed();
  const [id] = selected.size === 1 ? selected : [];
  useEffect(() => {
    if (id === undefined) return;
    return afterPress(isPressed.current, () => {
      const json = store.state().document.nodes.find((node) => nodeIdOf(node) === id);
      const place = readPosition(json);
      if (json && place) reveal(place, nodeHeight(drawnNode(json)));
    });
  }, [id, store, reveal, isPressed]);
}
