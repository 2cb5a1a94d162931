import { type KeyboardEvent, type PointerEvent, useState } from 'react';

export interface ResizingOptions {
  /** The name under which the browser remembers the size. */
  name: string;
  /** The edge of the window at which the drawer is. The handle is at the opposite side of the drawer. */
  edge: 'right' | 'bottom';
  /** The size in pixels until the user changes it. */
  initial: () => number;
  min: number;
  /** The largest size, as a fraction of the window's size. */
  maxShare: number;
}

/** Pixels for each press of an arrow key. */
const STEP = 20;

const readSize = (key: string): number | undefined => {
  try {
    const size = Number(localStorage.getItem(key) ?? undefined);
    return Number.isFinite(size) ? size : undefined;
  } catch {
    return undefined;
  }
};

const storeSize = (key: string, size: number): void => {
  try {
    localStorage.setItem(key, String(size));
  } catch {
    // If the browser has no storage, it forgets the size.
  }
};

/** The size of a drawer, which the user changes by dragging its handle or with the arrow keys. */
export function useResizing({ name, edge, initial, min, maxShare }: ResizingOptions) {
  const key = `flow-console-editor-${name}`;
  const [chosen, setChosen] = useState(() => readSize(key));
  const isVertical = edge === 'right';
  const max = Math.max(min, Math.floor((isVertical ? innerWidth : innerHeight) * maxShare));
  const bounded = (size: number) => Math.round(Math.min(max, Math.max(min, size)));
  const size = bounded(chosen ?? initial());
  const change = (next: number) => {
    setChosen(bounded(next));
    storeSize(key, bounded(next));
  };
  return {
    size,
    /** Properties of the element between the drawer and the canvas. */
    handle: {
      role: 'separator',
      tabIndex: 0,
      'aria-orientation': isVertical ? 'vertical' as const : 'horizontal' as const,
      'aria-valuenow': size,
      'aria-valuemin': min,
      'aria-valuemax': max,
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      },
      onPointerMove: (event: PointerEvent<HTMLElement>) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
        const box = event.currentTarget.parentElement!.getBoundingClientRect();
        change(isVertical ? box.right - event.clientX : box.bottom - event.clientY);
      },
      onKeyDown: (event: KeyboardEvent) => {
        const steps = { [isVertical ? 'ArrowLeft' : 'ArrowUp']: 1, [isVertical ? 'ArrowRight' : 'ArrowDown']: -1 };
        const step = steps[event.key];
        if (step === undefined) return;
        event.preventDefault();
        change(size + step * STEP);
      },
    },
  };
}
