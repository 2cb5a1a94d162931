import { useReactFlow, useStore } from '@xyflow/react';
import { useEffect, useRef } from 'react';
import { showAll } from '../../../shared/graph/show_all.ts';
import { useDrawers } from './drawers.tsx';

/** Shows all nodes again when the drawer below the canvas opens and takes a part of its height. */
export function useFittedView(): void {
  const { fitView } = useReactFlow();
  const { current } = useDrawers();
  const height = useStore((state) => state.height);
  const isOpen = current !== undefined;
  const hasResults = useRef(false);
  const waits = useRef(false);
  useEffect(() => {
    hasResults.current = current === 'run';
  }, [current]);
  useEffect(() => {
    waits.current = isOpen;
  }, [isOpen]);
  useEffect(() => {
    // The drawer is loaded when it first opens, so the canvas gets its new height later than the state.
    if (!waits.current) return;
    waits.current = false;
    showAll({ fitView }, hasResults.current);
  }, [height, fitView]);
}
