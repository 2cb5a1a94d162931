import { type RefObject, useLayoutEffect, useRef } from 'react';
import type { Point } from '../graph/drawn_node.ts';

/** The least distance from the border of the window. */
const MARGIN = 8;

/**
 * Returns the reference of an element with `position: fixed`. The element begins at a place in the window, or else so
 * near to this place that no border of the window cuts it off.
 */
export function usePlaceInside<Kind extends HTMLElement>(at: Point | undefined): RefObject<Kind | null> {
  const reference = useRef<Kind>(null);
  useLayoutEffect(() => {
    const element = reference.current;
    if (element === null || at === undefined) return;
    const { width, height } = element.getBoundingClientRect();
    element.style.left = `${Math.max(MARGIN, Math.min(at.x, innerWidth - MARGIN - width))}px`;
    element.style.top = `${Math.max(MARGIN, Math.min(at.y, innerHeight - MARGIN - height))}px`;
  }, [at]);
  return reference;
}
