import fc from 'fast-check';
import type { FlowBuilder, Port } from './flow_builder.ts';

/** Makes a port of two earlier ones, with a node of this title. */
export type MakePort = (flow: FlowBuilder, a: Port, b: Port, title: string) => Port;

/** What a random flow is made of: which of the kinds its nodes are, and between which earlier ports they stand. */
export interface Shape {
  nodes: { kind: number; a: number; b: number }[];
  /** Where each node goes in the nodes array. */
  order: Iterator<number>;
}

/** Shapes of flows with up to `maxLength` nodes of these kinds. */
export const shapeArbitraries = (kinds: readonly MakePort[], maxLength: number) => ({
  nodes: fc.array(fc.record({ kind: fc.nat(kinds.length - 1), a: fc.nat(), b: fc.nat() }), {
    minLength: 1,
    maxLength,
  }),
  order: fc.infiniteStream(fc.nat()),
});

/** Adds the nodes of a shape to a flow that has the first ports; every port is an output. */
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
