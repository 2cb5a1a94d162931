import { parse, stringify } from 'lossless-json';
import type { NativeNodes } from '../../runner/engine/node.ts';
import { nodeRegistry } from '../../runner/nodes/registry.ts';
import type { Graph, NodeRetry, SnapshotEdge, SnapshotNode, SnapshotTarget } from '../../types/flow.ts';
import type { LosslessJson, Value } from '../../types/values/value.ts';
import { deepFreeze } from './deep_freeze.ts';

/** One end of an edge. */
export interface Port {
  nodeId: string;
  handle: string;
  /** The expression of an edge that begins at this port. */
  expression?: string;
}

/** A node of a flow under construction. */
export interface BuiltNode {
  id: string;
  output: (name: string) => Port;
  input: (name: string) => Port;
  /** Returns the port that passes on the input of this name. */
  passthrough: (name: string) => Port;
}

/** The builder's notation of a port: `amount` is required, `amount?` is optional, `amount»` is also passed on. */
type PortSpec = string;

const readSpec = (spec: PortSpec) => ({
  name: spec.replace(/[?»]/g, ''),
  isOptional: spec.includes('?'),
  isPassthrough: spec.includes('»'),
});

/** Form data as tests write it. Numbers are JavaScript numbers. */
export type FormJson = null | boolean | number | string | FormJson[] | { [name: string]: FormJson };

export interface NodeSpec {
  inputs?: PortSpec[];
  outputs?: PortSpec[];
  form?: LosslessJson | FormJson;
  type?: SnapshotNode['data']['type'];
  title?: string;
  retry?: NodeRetry | undefined;
  /** Adds the output `error`. A failure of the node becomes the value of this output. */
  handlesErrors?: boolean | undefined;
  timeoutMs?: number | undefined;
}

/** Builds flows as the editor saves them. The ids ascend, so the same calls make the same flow. */
export class FlowBuilder {
  nodes: SnapshotNode[] = [];
  edges: SnapshotEdge[] = [];
  /** Decides whether the flow's instruction nodes share transactions. */
  bundling: Graph['instructions_bundling'] = 'Off';
  #count = 0;
  #frozen: Graph | undefined;
  readonly #registry: NativeNodes;

  /** Makes a builder whose `use` reads the ports of nodes from the registry. */
  constructor(registry: NativeNodes = nodeRegistry) {
    this.#registry = registry;
  }

  #id(): string {
    return `00000000-0000-4000-8000-${String(++this.#count).padStart(12, '0')}`;
  }

  node(
    nodeId: string,
    { inputs = [], outputs = [], form = {}, type = 'native', title, retry, handlesErrors, timeoutMs }: NodeSpec = {},
  ): BuiltNode {
    const id = this.#id();
    const targets = inputs.map(readSpec).map(({ name, isOptional, isPassthrough }) => ({
      id: this.#id(),
      name,
      type_bounds: ['free'],
      required: !isOptional,
      passthrough: isPassthrough,
    }));
    const sources = [...outputs, ...(handlesErrors ? ['error'] : [])].map(readSpec).map(({ name, isOptional }) => ({
      id: this.#id(),
      name,
      type: 'free',
      // Editors never write this member. Tests need it, because nothing else marks an optional output of a called flow.
      ...(isOptional && nodeId === 'interflow' && { optional: true }),
    }));
    this.nodes.push({
      id,
      data: {
        type,
        node_id: nodeId,
        display_name: title ?? null,
        ...(retry && { retry }),
        ...(handlesErrors && { on_error: 'output' as const }),
        ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
        sources,
        targets,
        // SAFETY: graph() and the database convert the form data to lossless JSON.
        targets_form: { form_data: form as LosslessJson },
      },
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
    const { nodeId: source, handle: sourceHandle, expression } = from;
    const data = expression === undefined ? {} : { data: { expression } };
    this.edges.push({ source, sourceHandle, target: to.nodeId, targetHandle: to.handle, ...data });
    return this;
  }

  /** Changes the members of an input in the flow's JSON. */
  declare(node: BuiltNode, name: string, members: Partial<SnapshotTarget>): BuiltNode {
    const { data } = this.nodes.find(({ id }) => id === node.id)!;
    data.targets = data.targets.map((target) => target.name === name ? { ...target, ...members } : target);
    return node;
  }

  /** Adds a node with the ports of its definition, as the editor does, and edges to these inputs. */
  use(nodeId: string, edges: { [input: string]: Port } = {}, { form, title, ...spec }: NodeSpec = {}): BuiltNode {
    const definition = this.#registry(nodeId)?.definition;
    if (definition === undefined) throw new Error(`the test uses the node ${nodeId}, which does not exist`);
    const node = this.node(nodeId, {
      inputs: definition.targets.map((port) => `${port.name}${port.required ? '' : '?'}${port.passthrough ? '»' : ''}`),
      outputs: definition.sources.map((port) => port.name),
      form: form ?? {},
      title: title ?? nodeId,
      ...spec,
    });
    return this.#wire(node, edges);
  }

  #wire(node: BuiltNode, edges: { [input: string]: Port }): BuiltNode {
    for (const [input, from] of Object.entries(edges)) this.connect(from, node.input(input));
    return node;
  }

  /** Adds a flow input and returns the port with its value. `described` has `type`, `title`, `help` and so on. */
  input(label: string, fallback?: FormJson, described: { [member: string]: FormJson } = {}): Port {
    const form = { label, ...(fallback !== undefined && { form_label: fallback }), ...described };
    return this.node('flow_input', { outputs: [label], form, title: label }).output(label);
  }

  constant(value: Value, title = 'const'): Port {
    return this.use('const', {}, { form: { type: 'Test', value: value as LosslessJson }, title }).output('Source');
  }

  /** Adds a constant of plain JSON. */
  json(value: FormJson, title = 'json'): Port {
    return this.use('const', {}, { form: { type: 'JSON', value: JSON.stringify(value) }, title }).output('Source');
  }

  toText(from: Port, title?: string): Port {
    return this.use('to_string', { stringify: from }, { title }).output('result');
  }

  /** Adds a loop: the nodes after it run once for each element. */
  foreach(array: Port, title?: string): Port {
    return this.use('foreach', { array }, { title }).output('element');
  }

  collect(element: Port, title?: string): Port {
    return this.use('collect', { element }, { title }).output('array');
  }

  /** Gathers the elements of a loop, and leaves out those that failed. */
  collectOthers(element: Port, title?: string): Port {
    return this.use('collect', { element }, { form: { on_failed_element: 'leave_out' }, title: title ?? 'collect' })
      .output('array');
  }

  /** Reads a member of a map. The node fails if the map lacks the member. */
  field(name: string, map: Port, title = name): Port {
    return this.use('json_get_field', { json_or_string: map }, { form: { field: name }, title }).output('result_json');
  }

  /** Makes the whole numbers from 0 to below `end`. */
  range(end: Port, title?: string): Port {
    return this.use('range', { end }, { form: { start: 0 }, title }).output('result');
  }

  /** Passes `value` on. The wait begins when `value` and `waitFor` have come. */
  wait(value: Port, durationMs: number, waitFor?: Port, title?: string): Port {
    const form = { duration_ms: durationMs, ...(waitFor === undefined && { wait_for: true }) };
    const edges = { value, ...(waitFor !== undefined && { wait_for: waitFor }) };
    return this.use('wait', edges, { form, title }).passthrough('value');
  }

  /** Adds a switch with an output for each case. */
  switch(value: Port, cases: { name: string; [member: string]: FormJson }[], title = 'switch'): BuiltNode {
    const outputs = [...cases.map(({ name }) => name), 'default'];
    return this.#wire(this.node('switch', { inputs: ['value'], outputs, form: { cases }, title }), { value });
  }

  /** Calls another flow; its inputs are those with edges. */
  interflow(
    flowId: number,
    edges: { [input: string]: Port },
    outputs: PortSpec[],
    title = 'interflow',
    spec: NodeSpec = {},
  ): BuiltNode {
    const inputs = Object.keys(edges);
    return this.#wire(this.node('interflow', { inputs, outputs, form: { id: flowId }, title, ...spec }), edges);
  }

  /** Adds a Rhai script. Its inputs are those of `edges`, named a to e; it has one to five outputs, named u to z. */
  script(source: string, edges: { [input: string]: Port }, outputs = 1, title = 'script'): BuiltNode {
    const inputs = 'abcde'.indexOf(Object.keys(edges).toSorted().at(-1) ?? '') + 1;
    return this.use(`rhai_script_${inputs}x${outputs}`, edges, { form: { source }, title });
  }

  /** Adds a flow output with the value of `from`. */
  output(label: string, from: Port, title = label): BuiltNode {
    return this.#wire(this.node('flow_output', { inputs: [label], form: { label }, title }), { [label]: from });
  }

  /** Returns the flow in the form of the columns of `flows`. */
  row(): { nodes: SnapshotNode[]; edges: SnapshotEdge[] } {
    return { nodes: this.nodes, edges: this.edges };
  }

  /** Returns the flow as the runner reads it from a snapshot: numbers keep their source text. */
  graph(): Graph {
    if (this.#frozen !== undefined) return this.#frozen;
    // SAFETY: this is the graph of the builder after a conversion to JSON and back.
    const row = parse(stringify(this.row())!) as unknown as Pick<Graph, 'nodes' | 'edges'>;
    return { ...row, environment: {}, instructions_bundling: this.bundling };
  }

  /** Makes the builder immutable. So the graph is made only once for many claims, and no claim can change the graph. */
  freeze(): this {
    this.#frozen = deepFreeze(this.graph());
    Object.freeze(this.nodes);
    Object.freeze(this.edges);
    return this;
  }
}

/** Makes a minimal flow: an input that becomes a text output. */
export function textFlow(): FlowBuilder {
  const flow = new FlowBuilder();
  flow.output('text', flow.toText(flow.input('value', 'nothing')));
  return flow;
}
