import type { Edge } from '@xyflow/react';
import type { DrawnEdge } from './drawn_node.ts';
import { nodeGeometry } from './geometry.ts';
import type { GraphNode } from './graph_node.tsx';
import type { NodeState } from './node_card.tsx';
import { shownPorts } from './shown_ports.ts';
import type { PlacedGraph } from './use_placed_graph.ts';

/** Converts edges to the canvas's form. Edges at the selected node are marked. */
export const drawEdges = (edges: readonly DrawnEdge[], selected: string | undefined): Edge[] =>
  edges.map((edge, index) => ({
    ...edge,
    id: String(index),
    focusable: false,
    ...((edge.source === selected || edge.target === selected) && { className: 'graph-edge-near' }),
  }));

const NO_FAULTS: readonly string[] = [];

/** What a graph shows at its nodes. */
interface Marks {
  states: ReadonlyMap<string, NodeState> | undefined;
  /** Why nodes did not run, by their ids. */
  reasons: ReadonlyMap<string, string> | undefined;
  faults: ReadonlyMap<string, readonly string[]> | undefined;
  selected: string | undefined;
  /** The ids of the nodes that show all their ports. */
  expanded: ReadonlySet<string>;
}

/** Converts the nodes of a graph to the canvas's form. If there are states, a node without a state has not begun. */
export const drawNodes = (graph: PlacedGraph, { states, reasons, faults, selected, expanded }: Marks): GraphNode[] =>
  graph.nodes.map(({ node, position }) => {
    const shown = shownPorts(node, graph.connected, expanded.has(node.id));
    const state = states === undefined ? undefined : states.get(node.id) ?? 'not begun';
    const reason = reasons?.get(node.id);
    const ofNode = faults?.get(node.id) ?? NO_FAULTS;
    const geometry = nodeGeometry(shown, { hasState: state !== undefined, hasFaults: ofNode.length > 0 });
    return {
      id: node.id,
      type: 'drawn',
      position,
      selected: node.id === selected,
      ...geometry,
      ariaLabel: [node.title, state, reason].filter((part) => part !== undefined).join(', '),
      data: { node, shown, handles: geometry.handles, state, reason, faults: ofNode },
    };
  });
