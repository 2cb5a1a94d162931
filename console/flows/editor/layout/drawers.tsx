import { createContext, type ReactNode, use, useMemo, useState } from 'react';

/** The tabs of the drawer below the canvas. */
export type DrawerName = 'run' | 'problems';

interface Drawers {
  /** The tab that is shown; undefined while the drawer is closed. */
  current: DrawerName | undefined;
  /** Opens the drawer at this tab. */
  open: (name: DrawerName) => void;
  close: () => void;
}

const DrawersContext = createContext<Drawers | undefined>(undefined);

export function DrawersProvider({ children }: { children: ReactNode }) {
  const [current, setCurrent] = useState<DrawerName>();
  const drawers = useMemo(() => ({ current, open: setCurrent, close: () => setCurrent(undefined) }), [current]);
  return <DrawersContext value={drawers}>{children}</DrawersContext>;
}

/**
 * Returns the state of the drawer below the canvas, and functions that open and close it. Throws outside of a
 * DrawersProvider.
 */
export function useDrawers(): Drawers {
  const drawers = use(DrawersContext);
  if (drawers === undefined) throw new Error('There is no DrawersProvider.');
  return drawers;
}
