import fc from 'fast-check';
import type { FlowBuilder, Port } from './flow_builder.ts';

/**
 * A function that adds a node with this title to the flow. The node connects two earlier ports, and its port is
 * returned.
 */
export type MakePort = (flow: FlowBuilder, a: Port, b: Port, title: string) => Port;

/** The shape of a random flow. It has the kind of each node, and the earlier ports that the node connects. */
export interface Shape {
  nodes: { kind: number; a: number; b: number }[];
  /** The position of each node in the nodes array. */
  order: Iterator<number>;
}

/** Generates shapes of flows with up to `maxLength` nodes of these kinds. */
export const shapeArbitraries = (kinds: readonly MakePort[], maxLength: number) => ({
  nodes: fc.array(fc.record({ kind: fc.nat(kinds.length - 1), a: fc.nat(), b: fc.nat() }), {
    minLength: 1,
    maxLength,
  }),
  order: fc.infiniteStream(fc.nat()),
});

/**
 * Adds the nodes of a shape to a flow. `first` are the ports that the flow has already. Every port becomes an output.
 */
export function addShape(
  flow: FlowBuilder,
  kinds: readonly MakePort[],
  first: readonly Port[],
  { nodes, order }: Shape,
): FlowBuilder {
  const ports = [...first];
  for (const [index, { kind, a, b }] of nodes.entries()) {
    ports.push(kinds[kind]!(flow, ports[a % ports.length]!, ports[b % ports.length]!, `node ${index}`));
  }
  ports.forEach((port, index) => flow.output(`out ${index}`, port));
  const places = new Map(flow.nodes.map((node) => [node, order.next().value]));
  flow.nodes.sort((a, b) => places.get(a) - places.get(b));
  return flow;
}
