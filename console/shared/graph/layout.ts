import { Graph, layout } from '@dagrejs/dagre';
import type { DrawnEdge, DrawnNode, Point } from './drawn_node.ts';

/** How wide a node is drawn. */
export const NODE_WIDTH = 240;
export const HEADER_HEIGHT = 41;
export const PORT_HEIGHT = 26;
export const PORTS_PADDING = 6;
/** From how many nodes on the layout takes the faster of dagre's methods. */
const MANY_NODES = 200;

/** About how high a node is drawn. */
export const nodeHeight = ({ inputs, outputs }: DrawnNode): number =>
  HEADER_HEIGHT + 2 * PORTS_PADDING + PORT_HEIGHT * (inputs.length + outputs.length);

/** Places nodes from left to right along their edges. */
export function layOut(nodes: readonly DrawnNode[], edges: readonly DrawnEdge[]): Map<string, Point> {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({
    rankdir: 'LR',
    nodesep: 40,
    ranksep: 90,
    ranker: nodes.length > MANY_NODES ? 'tight-tree' : 'network-simplex',
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) graph.setNode(node.id, { width: NODE_WIDTH, height: nodeHeight(node) });
  for (const [index, { source, target }] of edges.entries()) {
    if (graph.hasNode(source) && graph.hasNode(target)) graph.setEdge(source, target, {}, String(index));
  }
  layout(graph);
  return new Map(nodes.map((node) => {
    const { x, y } = graph.node(node.id) as Point;
    return [node.id, { x: Math.round(x - NODE_WIDTH / 2), y: Math.round(y - nodeHeight(node) / 2) }];
  }));
}
