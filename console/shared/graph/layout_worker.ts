import { Graph, layout } from '@dagrejs/dagre';
import type { Point } from './drawn_node.ts';
import type { LayoutTask } from './layout_in_columns.ts';
import { NODE_WIDTH } from './node_size.ts';

/** If there are at least this many nodes, the layout uses dagre's faster method. */
const MANY_NODES = 200;

/** Places nodes so that few edges cross. */
export function layOutByDagre({ nodes, edges }: LayoutTask): Map<string, Point> {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({
    rankdir: 'LR',
    nodesep: 40,
    ranksep: 90,
    ranker: nodes.length > MANY_NODES ? 'tight-tree' : 'network-simplex',
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, height } of nodes) graph.setNode(id, { width: NODE_WIDTH, height });
  for (const [index, { source, target }] of edges.entries()) graph.setEdge(source, target, {}, String(index));
  layout(graph, { disableOptimalOrderHeuristic: nodes.length > MANY_NODES });
  return new Map(nodes.map(({ id, height }) => {
    const { x, y } = graph.node(id) as Point;
    return [id, { x: Math.round(x - NODE_WIDTH / 2), y: Math.round(y - height / 2) }];
  }));
}

// Tests import this file outside of a worker.
globalThis.addEventListener?.(
  'message',
  ({ data }: MessageEvent<LayoutTask>) => postMessage(layOutByDagre(data)),
);
