import { Paper, Portal } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useEffect } from 'react';
import type { Point } from '../graph/drawn_node.ts';
import { usePlaceInside } from './use_place_inside.ts';
import './point_menu.css';

const itemsOf = (menu: HTMLElement): HTMLElement[] => [
  ...menu.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)'),
];

/** Returns the item to which a key leads; undefined for a key that leads to no item. */
function itemOf(key: string, items: readonly HTMLElement[]): HTMLElement | undefined {
  const now = items.findIndex((item) => item === document.activeElement);
  if (key === 'ArrowDown') return items[(now + 1) % items.length];
  if (key === 'ArrowUp') return items.at(now <= 0 ? -1 : now - 1);
  if (key === 'Home') return items[0];
  if (key === 'End') return items.at(-1);
  return undefined;
}

interface PointMenuProps {
  label: string;
  /** The place in the window, in pixels. */
  at: Point;
  /** Elements with the role `menuitem`. */
  children: ReactNode;
  onClose: () => void;
}

function PlacedMenu({ label, at, children, onClose }: PointMenuProps) {
  const menu = usePlaceInside<HTMLDivElement>(at);
  useEffect(() => {
    const former = document.activeElement;
    const own = menu.current!;
    itemsOf(own)[0]?.focus();
    return () => {
      // A command of the menu may have moved the focus already.
      const { activeElement } = document;
      const isFree = activeElement === document.body || own.contains(activeElement);
      if (isFree && former instanceof HTMLElement) former.focus({ preventScroll: true });
    };
  }, [menu]);
  useEffect(() => {
    const onPointer = ({ target }: Event) => {
      if (!(target instanceof Node && menu.current?.contains(target))) onClose();
    };
    document.addEventListener('pointerdown', onPointer, { capture: true });
    return () => document.removeEventListener('pointerdown', onPointer, { capture: true });
  }, [menu, onClose]);
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    event.stopPropagation();
    if (event.key === 'Escape' || event.key === 'Tab') onClose();
    else {
      const item = itemOf(event.key, itemsOf(event.currentTarget));
      if (item === undefined) return;
      item.focus();
    }
    event.preventDefault();
  };
  return (
    <Paper
      ref={menu}
      withBorder
      shadow='md'
      role='menu'
      aria-label={label}
      className='point-menu'
      onKeyDown={onKeyDown}
      onContextMenu={(event) => event.preventDefault()}
    >
      {children}
    </Paper>
  );
}

/**
 * A menu at a place in the window, which is never cut off at a border. The first item gets the focus. Escape, Tab and a
 * click outside close the menu, and the focus returns to its former element.
 */
export const PointMenu = (props: PointMenuProps) => (
  <Portal>
    <PlacedMenu {...props} />
  </Portal>
);
