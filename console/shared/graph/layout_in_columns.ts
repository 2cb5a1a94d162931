import type { Point } from './drawn_node.ts';
import { NODE_WIDTH } from './node_size.ts';

/** The input of a layout: the id and height of each node, and the ids of the two nodes of each edge. */
export interface LayoutTask {
  nodes: { id: string; height: number }[];
  edges: { source: string; target: string }[];
}

const BETWEEN_COLUMNS = 90;
const BETWEEN_NODES = 40;
/**
 * The number of times that the nodes of each column are sorted: in turn by their neighbours on the left and on the
 * right.
 */
const SWEEPS = 6;

interface Placed {
  id: string;
  height: number;
  column: number;
  /** The node's position in its column, from 0 to 1. */
  place: number;
  before: Placed[];
  after: Placed[];
}

/**
 * Puts each node into a column to the right of all nodes that have edges to it. In a cycle, only the nodes that already
 * have a column count.
 */
function chooseColumns(nodes: readonly Placed[]): void {
  const open = new Map(nodes.map((node) => [node, node.before.length]));
  const ready = nodes.filter(({ before }) => before.length === 0);
  for (let next = 0; open.size > 0;) {
    const node = ready.pop() ?? nodes[next++]!;
    if (!open.delete(node)) continue;
    for (const after of node.after) {
      const count = open.get(after);
      if (count === undefined) continue;
      after.column = Math.max(after.column, node.column + 1);
      open.set(after, count - 1);
      if (count === 1) ready.push(after);
    }
  }
}

const mean = (nodes: readonly Placed[], own: number): number =>
  nodes.length === 0 ? own : nodes.reduce((sum, { place }) => sum + place, 0) / nodes.length;

function sortColumn(column: Placed[], side: 'before' | 'after'): void {
  const wanted = new Map(column.map((node) => [node, mean(node[side], node.place)]));
  column.sort((a, b) => wanted.get(a)! - wanted.get(b)!);
  for (const [index, node] of column.entries()) node.place = (index + 0.5) / column.length;
}

/** Places nodes in columns along their edges, in nearly linear time. Edges may cross. */
export function layOutInColumns({ nodes, edges }: LayoutTask): Map<string, Point> {
  const placed = new Map(
    nodes.map(({ id, height }): [string, Placed] => [id, { id, height, column: 0, place: 0, before: [], after: [] }]),
  );
  for (const edge of edges) {
    const [source, target] = [placed.get(edge.source), placed.get(edge.target)];
    if (source === undefined || target === undefined || source === target) continue;
    source.after.push(target);
    target.before.push(source);
  }
  const all = [...placed.values()];
  chooseColumns(all);
  // The column of a node is the first one, or directly follows the column of another node, so no column is empty.
  const columns: Placed[][] = [];
  for (const node of all) (columns[node.column] ??= []).push(node);
  for (const column of columns) sortColumn(column, 'before');
  for (let sweep = 1; sweep < SWEEPS; sweep += 1) {
    const isBack = sweep % 2 === 1;
    for (const column of isBack ? columns.toReversed() : columns) sortColumn(column, isBack ? 'after' : 'before');
  }
  return new Map(columns.flatMap((column, index) => {
    const height = column.reduce((sum, node) => sum + node.height + BETWEEN_NODES, -BETWEEN_NODES);
    let y = -height / 2;
    return column.map((node): [string, Point] => {
      const point = { x: index * (NODE_WIDTH + BETWEEN_COLUMNS), y: Math.round(y) };
      y += node.height + BETWEEN_NODES;
      return [node.id, point];
    });
  }));
}
