import { useEffect, useMemo, useState } from 'react';
import { type DrawnEdge, type DrawnNode, type Point, readEdge, readNode, readPosition } from './drawn_node.ts';
import { layOut } from './layout.ts';
import { type ConnectedPorts, connectedPorts } from './shown_ports.ts';

/** A graph whose nodes have positions. */
export interface PlacedGraph {
  nodes: { node: DrawnNode; position: Point }[];
  edges: DrawnEdge[];
  connected: ConnectedPorts;
}

/**
 * Returns the graph with a position for each node: the stored positions, or else those of a layout. Undefined until the
 * layout is computed.
 */
export function usePlacedGraph(nodes: readonly unknown[], edges: readonly unknown[]): PlacedGraph | undefined {
  const read = useMemo(() => ({
    nodes: nodes.map((json) => ({ node: readNode(json), position: readPosition(json) })),
    edges: edges.map(readEdge),
  }), [nodes, edges]);
  const [laidOut, setLaidOut] = useState<{ of: object; places: ReadonlyMap<string, Point> }>();
  const hasPlaces = nodes.length === 0 || read.nodes.some(({ position }) => position !== undefined);
  useEffect(() => {
    if (hasPlaces) return;
    const leaving = new AbortController();
    layOut(read.nodes.map(({ node }) => node), read.edges, leaving.signal)
      .then((places) => setLaidOut({ of: read, places }), () => {});
    return () => leaving.abort();
  }, [read, hasPlaces]);
  const places = laidOut?.of === read ? laidOut.places : undefined;
  return useMemo(() => {
    if (!hasPlaces && places === undefined) return undefined;
    return {
      nodes: read.nodes.map(({ node, position }) => ({
        node,
        position: places?.get(node.id) ?? position ?? { x: 0, y: 0 },
      })),
      edges: read.edges,
      connected: connectedPorts(read.edges),
    };
  }, [read, places, hasPlaces]);
}
