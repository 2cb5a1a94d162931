import type { Graph, SnapshotEdge, SnapshotNode } from '../../types/flow.ts';
import type { LosslessJson, Value } from '../../types/value.ts';

/** One end of an edge. */
export interface Port {
  nodeId: string;
  handle: string;
}

/** A node of a flow under construction. */
export interface BuiltNode {
  id: string;
  output: (name: string) => Port;
  input: (name: string) => Port;
  /** The handle that hands an input on. */
  passthrough: (name: string) => Port;
}

/** A port as the builder takes it: `amount` is required, `amount?` is optional, `amount»` is handed on as well. */
export type PortSpec = string;

const readSpec = (spec: PortSpec) => ({
  name: spec.replace(/[?»]/g, ''),
  isOptional: spec.includes('?'),
  isPassthrough: spec.includes('»'),
});

export interface NodeSpec {
  inputs?: PortSpec[];
  outputs?: PortSpec[];
  form?: LosslessJson;
  type?: SnapshotNode['data']['type'];
  title?: string;
}

/** Builds flows as the editor saves them, with ids that count up: the same calls give the same flow. */
export class FlowBuilder {
  nodes: SnapshotNode[] = [];
  edges: SnapshotEdge[] = [];
  #count = 0;

  #id(): string {
    return `00000000-0000-4000-8000-${String(++this.#count).padStart(12, '0')}`;
  }

  node(nodeId: string, { inputs = [], outputs = [], form = {}, type = 'native', title }: NodeSpec = {}): BuiltNode {
    const id = this.#id();
    const targets = inputs.map(readSpec).map(({ name, isOptional, isPassthrough }) => ({
      id: this.#id(),
      name,
      type_bounds: ['free'],
      required: !isOptional,
      passthrough: isPassthrough,
    }));
    const sources = outputs.map(readSpec).map(({ name, isOptional }) => ({
      id: this.#id(),
      name,
      type: 'free',
      optional: isOptional,
    }));
    this.nodes.push({
      id,
      data: { type, node_id: nodeId, display_name: title ?? null, sources, targets, targets_form: { form_data: form } },
    });
    const find = (ports: { id: string; name: string }[], name: string): string => {
      const port = ports.find((candidate) => candidate.name === name);
      if (port === undefined) throw new Error(`node ${nodeId} of the test has no port ${name}`);
      return port.id;
    };
    return {
      id,
      output: (name) => ({ nodeId: id, handle: find(sources, name) }),
      input: (name) => ({ nodeId: id, handle: find(targets, name) }),
      passthrough: (name) => ({ nodeId: id, handle: `passthrough-${find(targets, name)}` }),
    };
  }

  connect(from: Port, to: Port): this {
    this.edges.push({ source: from.nodeId, sourceHandle: from.handle, target: to.nodeId, targetHandle: to.handle });
    return this;
  }

  /** A flow input; its value comes out of the returned port. */
  input(label: string, fallback?: LosslessJson): Port {
    const form = { label, ...(fallback !== undefined && { form_label: fallback }) };
    return this.node('flow_input', { outputs: [label], form }).output(label);
  }

  constant(value: Value): Port {
    return this.node('const', { outputs: ['Source'], form: { type: 'Test', value: value as LosslessJson } }).output(
      'Source',
    );
  }

  toText(from: Port): Port {
    const node = this.node('to_string', { inputs: ['stringify?'], outputs: ['result'] });
    this.connect(from, node.input('stringify'));
    return node.output('result');
  }

  /** A flow output of what comes out of `from`. */
  output(label: string, from: Port): BuiltNode {
    const node = this.node('flow_output', { inputs: [label], form: { label } });
    this.connect(from, node.input(label));
    return node;
  }

  /** As the columns of `flows` take it. */
  row(): { nodes: SnapshotNode[]; edges: SnapshotEdge[] } {
    return { nodes: this.nodes, edges: this.edges };
  }

  /** As a snapshot holds it. */
  graph(): Graph {
    return { ...this.row(), environment: {}, instructions_bundling: 'Off' };
  }
}

/** The smallest flow that does something: an input that comes out as text. */
export function textFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  flow.output('text', flow.toText(flow.input('value', 'nothing')));
  return flow;
}
