import { type Edge, ViewportPortal } from '@xyflow/react';
import { memo, useMemo } from 'react';
import type { GraphNode } from './graph_node.tsx';
import { makeEnds, pathOfAll } from './many_edges.ts';

interface EdgeLayerProps {
  nodes: readonly GraphNode[];
  edges: readonly Edge[];
}

const isNear = ({ className }: Edge): boolean => className?.startsWith('graph-edge-near') === true;

/** Draws many edges as three paths: the selected edges, the edges at selected nodes, and all other edges. */
export const EdgeLayer = memo(function EdgeLayer({ nodes, edges }: EdgeLayerProps) {
  const { near, others, selected } = useMemo(() => {
    const endsOf = makeEnds(nodes);
    const pathOf = (test: (edge: Edge) => boolean) => pathOfAll(edges.filter(test), endsOf);
    return {
      near: pathOf((edge) => edge.selected !== true && isNear(edge)),
      others: pathOf((edge) => edge.selected !== true && !isNear(edge)),
      selected: pathOf((edge) => edge.selected === true),
    };
  }, [nodes, edges]);
  return (
    <ViewportPortal>
      <svg className='graph-edge-layer' aria-hidden='true'>
        <path d={others} />
        <path d={near} data-near='true' />
        <path d={selected} data-near='true' data-selected='true' />
      </svg>
    </ViewportPortal>
  );
});
