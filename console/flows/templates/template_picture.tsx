import { categoryOf } from '../../shared/graph/categories.ts';
import { readEdge, readNode, readPosition } from '../../shared/graph/drawn_node.ts';
import '../../shared/graph/graph.css';
import './templates.css';
import type { FlowTemplate } from './template_files.ts';

/** The size of a node in the picture, in units of the canvas. */
const WIDTH = 240;
const HEIGHT = 110;
const MARGIN = 30;
/** The height of a picture is at least this part of its width. Otherwise a long flow would look like a line. */
const LEAST_SHAPE = 0.3;

/** Draws a template as a small picture: a box for each node in the colour of its category, a line for each edge. */
export function TemplatePicture({ template: { nodes, edges } }: { template: FlowTemplate }) {
  const boxes = nodes.map((json) => ({ node: readNode(json), place: readPosition(json) ?? { x: 0, y: 0 } }));
  const placeOf = new Map(boxes.map(({ node, place }) => [node.id, place]));
  const xs = boxes.map(({ place }) => place.x);
  const ys = boxes.map(({ place }) => place.y);
  const [left, right] = [Math.min(...xs) - MARGIN, Math.max(...xs) + WIDTH + MARGIN];
  const [top, bottom] = [Math.min(...ys) - MARGIN, Math.max(...ys) + HEIGHT + MARGIN];
  const width = right - left;
  const height = Math.max(bottom - top, width * LEAST_SHAPE);
  const lines = edges.flatMap((json) => {
    const { source, target } = readEdge(json);
    const [from, to] = [placeOf.get(source), placeOf.get(target)];
    if (from === undefined || to === undefined) return [];
    const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2];
    const bend = Math.max(40, Math.abs(x2 - x1) / 2);
    return [`M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`];
  });
  return (
    <svg
      className='template-picture'
      viewBox={`${left} ${(top + bottom - height) / 2} ${width} ${height}`}
      aria-hidden='true'
    >
      {lines.map((line, index) => <path key={index} d={line} />)}
      {boxes.map(({ node, place }) => (
        <g key={node.id} data-category={categoryOf(node)}>
          <rect x={place.x} y={place.y} width={WIDTH} height={HEIGHT} rx={18} />
          <rect className='template-head' x={place.x + 24} y={place.y + 28} width={WIDTH * 0.55} height={18} rx={9} />
          <rect className='template-text' x={place.x + 24} y={place.y + 64} width={WIDTH * 0.7} height={14} rx={7} />
        </g>
      ))}
    </svg>
  );
}
