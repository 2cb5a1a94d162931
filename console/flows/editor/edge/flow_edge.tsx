import { BaseEdge, type EdgeProps } from '@xyflow/react';
import { type KeyboardEvent, memo, useState } from 'react';
import { pathOf } from '../../../shared/graph/routes/edge_path.ts';
import { requestForEdge } from '../connecting/insert_on_edge.ts';
import { useEditor } from '../editor_context.tsx';
import { usePalette } from '../palette/palette_context.tsx';
import type { RoutedEdge } from '../view.ts';

/** The radius of the plus sign on an edge. */
const RADIUS = 10;

/** The plus sign in the middle of an edge. It opens the palette, and the editor puts the chosen node into the edge. */
function Plus({ index, x, y }: { index: number; x: number; y: number }) {
  const { store } = useEditor();
  const palette = usePalette();
  const insert = () => palette.open(requestForEdge(store.state().document, index));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    event.stopPropagation();
    insert();
  };
  return (
    <g
      role='button'
      tabIndex={0}
      aria-label='Insert a node'
      className='editor-plus nodrag nopan'
      transform={`translate(${x} ${y})`}
      onClick={(event) => {
        event.stopPropagation();
        insert();
      }}
      onKeyDown={onKeyDown}
    >
      <title>Insert a node</title>
      <circle r={RADIUS} />
      <path d='M-5 0H5M0 -5V5' />
    </g>
  );
}

/** The mark in the middle of an edge with an expression. */
const Expression = ({ x, y }: { x: number; y: number }) => (
  <g className='editor-expression-mark' transform={`translate(${x} ${y})`} aria-hidden='true'>
    <circle r={RADIUS} />
    <text textAnchor='middle' dominantBaseline='central'>ƒ</text>
  </g>
);

/** An edge. While the edge is selected or under the pointer, it shows a plus sign in its middle. */
const FlowEdge = memo(function FlowEdge(props: EdgeProps<RoutedEdge>) {
  const { id, data, selected = false, markerEnd, style, interactionWidth } = props;
  const { isOwner } = useEditor();
  const [isNear, setIsNear] = useState(false);
  const [path, x, y] = pathOf(props);
  const hasPlus = isOwner && (isNear || selected);
  return (
    <g
      data-colour={data?.colour}
      onPointerEnter={() => setIsNear(true)}
      onPointerLeave={() => setIsNear(false)}
    >
      <BaseEdge
        path={path}
        {...(markerEnd !== undefined && { markerEnd })}
        {...(style && { style })}
        interactionWidth={interactionWidth ?? 20}
      />
      {data?.hasExpression === true && !hasPlus && <Expression x={x} y={y} />}
      {hasPlus && <Plus index={Number(id)} x={x} y={y} />}
    </g>
  );
});

/** The component for each kind of edge, in the form that the canvas needs. */
export const edgeTypes = { default: FlowEdge };
