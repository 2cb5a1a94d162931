import { type Edge, ViewportPortal } from '@xyflow/react';
import { memo, useMemo } from 'react';
import type { GraphNode } from './graph_node.tsx';
import { makeEnds, pathOfAll } from './many_edges.ts';

interface EdgeLayerProps {
  nodes: readonly GraphNode[];
  edges: readonly Edge[];
}

function groupOf({ selected, className }: Edge): 'selected' | 'near' | 'others' {
  if (selected === true) return 'selected';
  return className?.startsWith('graph-edge-near') === true ? 'near' : 'others';
}

const colourOf = ({ data }: Edge): string | undefined => typeof data?.colour === 'string' ? data.colour : undefined;

/**
 * Draws many edges as a few paths: the selected edges, the edges at selected nodes, and a path for each colour of the
 * other edges.
 */
export const EdgeLayer = memo(function EdgeLayer({ nodes, edges }: EdgeLayerProps) {
  const { near, byColour, selected } = useMemo(() => {
    const endsOf = makeEnds(nodes);
    const { near = [], others = [], selected = [] } = Object.groupBy(edges, groupOf);
    return {
      near: pathOfAll(near, endsOf),
      byColour: [...Map.groupBy(others, colourOf)].map(([colour, some]) => [colour, pathOfAll(some, endsOf)] as const),
      selected: pathOfAll(selected, endsOf),
    };
  }, [nodes, edges]);
  return (
    <ViewportPortal>
      <svg className='graph-edge-layer' aria-hidden='true'>
        {byColour.map(([colour, path]) => <path key={colour ?? ''} d={path} data-colour={colour} />)}
        <path d={near} data-near='true' />
        <path d={selected} data-near='true' data-selected='true' />
      </svg>
    </ViewportPortal>
  );
});
