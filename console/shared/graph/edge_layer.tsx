import { type Edge, ViewportPortal } from '@xyflow/react';
import { memo, useMemo } from 'react';
import type { GraphNode } from './graph_node.tsx';
import { makeEnds, pathOfAll } from './many_edges.ts';

interface EdgeLayerProps {
  nodes: readonly GraphNode[];
  edges: readonly Edge[];
}

const isNear = ({ className }: Edge): boolean => className?.startsWith('graph-edge-near') === true;

const colourOf = ({ data }: Edge): string | undefined => typeof data?.colour === 'string' ? data.colour : undefined;

/**
 * Draws many edges as a few paths: the selected edges, the edges at selected nodes, and a path for each colour of the
 * other edges.
 */
export const EdgeLayer = memo(function EdgeLayer({ nodes, edges }: EdgeLayerProps) {
  const { near, others, selected } = useMemo(() => {
    const endsOf = makeEnds(nodes);
    const pathOf = (test: (edge: Edge) => boolean) => pathOfAll(edges.filter(test), endsOf);
    return {
      near: pathOf((edge) => edge.selected !== true && isNear(edge)),
      others: [...new Set(edges.map(colourOf))].map((colour) => ({
        colour,
        path: pathOf((edge) => edge.selected !== true && !isNear(edge) && colourOf(edge) === colour),
      })),
      selected: pathOf((edge) => edge.selected === true),
    };
  }, [nodes, edges]);
  return (
    <ViewportPortal>
      <svg className='graph-edge-layer' aria-hidden='true'>
        {others.map(({ colour, path }) => <path key={colour ?? ''} d={path} data-colour={colour} />)}
        <path d={near} data-near='true' />
        <path d={selected} data-near='true' data-selected='true' />
      </svg>
    </ViewportPortal>
  );
});
