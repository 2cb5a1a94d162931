import { useReactFlow } from '@xyflow/react';
import { useCallback } from 'react';
import { useEditor } from '../editor_context.tsx';
import { labelOf } from '../node/fields/words.ts';
import type { FlowProblem } from './problem.ts';

/** How long the editor waits for the panel of a node to load, in milliseconds. */
const PATIENCE_MS = 3_000;

/**
 * Finds the field of an input or a setting in the panel of a node. A code editor has no id and is found by its label. A
 * setting is found by `data-setting`. For a member of a setting without a field of its own, returns the field of the
 * setting.
 */
function findField(nodeId: string, field: string): HTMLElement | undefined {
  const panel = document.querySelector('section[aria-label="Node"]');
  const [setting = field] = field.split('.');
  const found = document.getElementById(`node-${nodeId}_${field}`) ??
    panel?.querySelector(`[aria-label="${CSS.escape(labelOf(field))}"]`) ??
    panel?.querySelector(`[data-setting="${CSS.escape(field)}"]`) ??
    panel?.querySelector(`[data-setting="${CSS.escape(setting)}"]`);
  return found instanceof HTMLElement ? found : undefined;
}

/**
 * Focuses a field as soon as the panel of its node shows it. Gives up after `PATIENCE_MS`, because an input with an
 * edge has no field.
 */
function focusField(nodeId: string, field: string): void {
  const until = performance.now() + PATIENCE_MS;
  const look = () => {
    const found = findField(nodeId, field);
    if (found !== undefined) {
      found.focus();
      found.scrollIntoView({ block: 'nearest' });
    } else if (performance.now() < until) {
      requestAnimationFrame(look);
    }
  };
  look();
}

/** Returns a function that shows the place of a problem: selects and centres the node, and focuses the field. */
export function useShowProblem(): (problem: FlowProblem) => void {
  const { store } = useEditor();
  const { fitView } = useReactFlow();
  return useCallback(({ nodeId, edge, field }: FlowProblem) => {
    if (nodeId === undefined) return;
    store.select(new Set([nodeId]), edge === undefined ? undefined : new Set([edge]));
    void fitView({ nodes: [{ id: nodeId }], maxZoom: 1 });
    if (field !== undefined) focusField(nodeId, field);
  }, [store, fitView]);
}
