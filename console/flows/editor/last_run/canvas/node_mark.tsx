import { lazy, memo, Suspense, use } from 'react';
import type { NodeMarkProps } from '../../../../shared/graph/graph_node.tsx';
import { MarksContext } from '../last_run_context.tsx';

const DrawnMark = lazy(async () => ({ default: (await import('./drawn_mark.tsx')).DrawnMark }));

/** A node's result in the last run, and its pin. Shows nothing if the node has neither a result nor a pin. */
export const NodeMark = memo(function NodeMark(props: NodeMarkProps) {
  const { results, pins } = use(MarksContext);
  const { id } = props.node;
  const result = results.get(id);
  const pinned = pins.get(id);
  if (result === undefined && pinned === undefined) return null;
  return (
    <Suspense>
      <DrawnMark {...props} result={result} pinned={pinned} />
    </Suspense>
  );
});
