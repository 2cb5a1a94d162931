import { expect, test } from 'vitest';
import { nodeRegistry } from '../../../../runner/nodes/registry.ts';
import { FlowBuilder, type Port } from '../../../../tests/support/flow_builder.ts';
import { objectAt, readEdge, readNode } from '../../../shared/graph/drawn_node.ts';
import type { DrawnDefinition } from '../definition.ts';
import type { FlowDocument } from '../flow_document.ts';
import { type BorderDefinitions, extractedFlow, type Extraction, planExtraction, replaceExtracted } from './extract.ts';

const definitionOf = (name: string): DrawnDefinition =>
  ({ id: name, 'targets_form.extra': {}, ...nodeRegistry(name)!.definition }) as unknown as DrawnDefinition;

const DEFINITIONS: BorderDefinitions = {
  flow_input: definitionOf('flow_input'),
  flow_output: definitionOf('flow_output'),
  interflow: definitionOf('interflow'),
};

const documentOf = (flow: FlowBuilder): FlowDocument =>
  JSON.parse(JSON.stringify({
    nodes: flow.nodes.map((node, index) => ({ ...node, position: { x: index * 300, y: 0 } })),
    edges: flow.edges,
  }));

const idsOf = (flow: FlowBuilder, ...titles: string[]): Set<string> =>
  new Set(flow.nodes.filter(({ data }) => titles.includes(data.display_name ?? '')).map(({ id }) => id));

/** Lists the edges of a graph as texts such as `Data.value -> Text.stringify`. */
function edgesOf({ nodes, edges }: FlowDocument): string[] {
  const drawn = new Map(nodes.map((json) => [json.id, readNode(json)]));
  return edges.map((json) => {
    const { source, sourceHandle, target, targetHandle } = readEdge(json);
    const [from, to] = [drawn.get(source)!, drawn.get(target)!];
    const start = from.outputs.find(({ id }) => id === sourceHandle)?.name;
    const end = to.inputs.find(({ id }) => id === targetHandle)?.name;
    const { expression } = objectAt(json, 'data');
    return `${from.title}.${start} -> ${to.title}.${end}${expression === undefined ? '' : ` (${String(expression)})`}`;
  });
}

function extract(flow: FlowBuilder, ...titles: string[]) {
  const document = documentOf(flow);
  const selected = idsOf(flow, ...titles);
  const plan = planExtraction(document, selected);
  if ('reason' in plan) throw new Error(plan.reason);
  return {
    plan,
    inner: extractedFlow(document, plan, selected, DEFINITIONS),
    outer: replaceExtracted(document, plan, selected, DEFINITIONS.interflow, { id: 7, name: 'Part' }),
  };
}

const whyNot = (flow: FlowBuilder, ...titles: string[]): string | undefined => {
  const plan = planExtraction(documentOf(flow), idsOf(flow, ...titles));
  return 'reason' in plan ? plan.reason : undefined;
};

const data = (flow: FlowBuilder, title: string): Port => flow.json({ a: 1 }, title);

/** Adds a node with one input and one output. */
function step(
  flow: FlowBuilder,
  title: string,
  from?: Port,
  options: { nodeId?: string; optional?: boolean } = {},
): Port {
  const { nodeId = 'text_template', optional = false } = options;
  const node = flow.node(nodeId, { title, inputs: ['in'], outputs: ['out'] });
  if (optional) Object.assign(flow.nodes.at(-1)!.data.sources[0]!, { optional: true });
  if (from !== undefined) flow.connect(from, node.input('in'));
  return node.output('out');
}

test('cut edges become inputs and outputs, one for each port, and keep their expressions', () => {
  const flow = new FlowBuilder();
  const source = data(flow, 'Data');
  const one = step(flow, 'One', { ...source, expression: 'a' });
  const two = step(flow, 'Two', source);
  const three = step(flow, 'Three', one);
  step(flow, 'Left', { ...three, expression: 'b' });
  step(flow, 'Right', three);
  step(flow, 'Other', two);
  const { inner, outer } = extract(flow, 'One', 'Two', 'Three');
  expect(edgesOf(inner)).toEqual([
    'One.out -> Three.in',
    'Flow Input: in.in -> One.in (a)',
    'Flow Input: in.in -> Two.in',
    'Three.out -> Flow Output: out.out',
    'Two.out -> Flow Output: out_2.out_2',
  ]);
  expect(edgesOf(outer.document)).toEqual([
    'Data.Source -> Part.in',
    'Part.out -> Left.in (b)',
    'Part.out -> Right.in',
    'Part.out_2 -> Other.in',
  ]);
  const call = outer.document.nodes.find(({ id }) => id === outer.nodeId);
  expect(objectAt(call, 'data', 'targets_form', 'form_data')).toEqual({ id: 7 });
  expect(objectAt(call, 'data').targets).toMatchObject([{ name: 'in', required: true, passthrough: false }]);
});

test('an output is optional if a chosen node before it may leave it without a value', () => {
  const flow = new FlowBuilder();
  const source = data(flow, 'Data');
  step(flow, 'Yes', step(flow, 'Sure', source));
  step(flow, 'Behind', step(flow, 'Follows', step(flow, 'Choice', source, { optional: true })));
  const { plan } = extract(flow, 'Sure', 'Choice', 'Follows');
  expect((plan as Extraction).outputs.map(({ isOptional }) => isOptional)).toEqual([false, true]);
});

test('inputs and outputs of the flow stay in it', () => {
  const flow = new FlowBuilder();
  flow.output('result', step(flow, 'Step', flow.input('text')));
  const document = documentOf(flow);
  const plan = planExtraction(document, new Set(flow.nodes.map(({ id }) => id)));
  expect(plan).toMatchObject({ inputs: [{ name: 'in' }], outputs: [{ name: 'out' }] });
  expect(planExtraction(document, new Set([flow.nodes[0]!.id]))).toMatchObject({ reason: /^Select the nodes/ });
});

test('a selection with a node between its nodes, or with a part of a loop, is refused', () => {
  const flow = new FlowBuilder();
  const each = step(flow, 'Each', data(flow, 'Data'), { nodeId: 'foreach' });
  const inside = step(flow, 'Inside', each);
  step(flow, 'End', step(flow, 'All', inside, { nodeId: 'collect' }));
  expect(whyNot(flow, 'Data', 'Inside')).toBe('“Each” is between the selected nodes. Select it, too.');
  expect(whyNot(flow, 'Each', 'Inside')).toMatch(/^“Each” hands on the elements of a list/);
  expect(whyNot(flow, 'All', 'End')).toMatch(/^“All” ends the loop of “Each”/);
  expect(whyNot(flow, 'Inside')).toBeUndefined();
  expect(whyNot(flow, 'Each', 'Inside', 'All')).toBeUndefined();
});

test('an input that also works without a value is not cut off', () => {
  const flow = new FlowBuilder();
  step(flow, 'Either', step(flow, 'First'), { nodeId: 'merge' });
  expect(whyNot(flow, 'Either')).toBe('“Either” also runs without the value of “First”. Select both, or neither.');
  expect(whyNot(flow, 'First', 'Either')).toBeUndefined();
});

test('a selection is refused if a node of it runs although a branch outside gives it no value', () => {
  const flow = new FlowBuilder();
  const source = data(flow, 'Data');
  const choice = step(flow, 'Choice', source, { optional: true });
  const both = flow.node('text_template', { title: 'Both', inputs: ['one?', 'other?'], outputs: ['out'] });
  flow.connect(choice, both.input('one'));
  flow.connect(source, both.input('other'));
  const sent = step(flow, 'Sent', choice);
  step(flow, 'Behind', both.output('out'));
  step(flow, 'End', sent);
  step(flow, 'After', step(flow, 'Apart', source));
  const refusal = (title: string) => `“${title}” also runs without the value of “Choice”. Select both, or neither.`;
  expect(whyNot(flow, 'Both')).toBe(refusal('Both'));
  expect(whyNot(flow, 'Sent', 'Apart')).toBe(refusal('Apart'));
  expect(whyNot(flow, 'Choice', 'Both')).toBeUndefined();
  expect(whyNot(flow, 'Sent')).toBeUndefined();
  expect(whyNot(flow, 'Apart')).toBeUndefined();
  // A node with effects needs a value of each edge, so the calling node may also wait for all.
  Object.assign(flow.nodes.find(({ data }) => data.display_name === 'Both')!.data, { effects: 'once' });
  expect(whyNot(flow, 'Both')).toBeUndefined();
});
