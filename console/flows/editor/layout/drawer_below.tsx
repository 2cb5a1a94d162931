import { lazy, Suspense } from 'react';
import { useDrawers } from './drawers.tsx';
import { useFittedView } from './use_fitted_view.ts';

// The drawer is loaded when it is first opened, so that the editor's first load stays small.
const OpenDrawer = lazy(async () => ({ default: (await import('./bottom_drawer.tsx')).OpenDrawer }));

/** The drawer below the canvas, while one of its tabs is open. */
export function DrawerBelow() {
  const { current } = useDrawers();
  useFittedView();
  return current && (
    <Suspense fallback={null}>
      <OpenDrawer current={current} />
    </Suspense>
  );
}
