import {
  type DrawnInput,
  type DrawnNode,
  objectAt,
  type PlainObject,
  type Point,
  readEdge,
  readNode,
  readPosition,
} from '../../../shared/graph/drawn_node.ts';
import { NODE_WIDTH, nodeHeight } from '../../../shared/graph/node_size.ts';
import { type DrawnDefinition, makeNode, withFormData } from '../definition.ts';
import { edgeStarts } from '../edge_refusals.ts';
import { type FlowDocument, makeEdge, nodeIdOf } from '../flow_document.ts';
import { freePlace } from '../adding/free_place.ts';
import { isAnnotation } from '../notes/annotations.ts';
import { nodesById } from '../view.ts';
import { mayStayUnset, needsOf } from './missing_values.ts';
import { whyNotExtracted } from './why_not_extracted.ts';

/** The nodes at the borders of the two flows. */
export const BORDER_NODES = ['flow_input', 'flow_output', 'interflow'] as const;
export type BorderDefinitions = { readonly [name in typeof BORDER_NODES[number]]: DrawnDefinition };

/** A port through which edges lead from one flow into the other. Its edges are those at their indexes. */
interface BorderPort {
  name: string;
  types: readonly string[];
  edges: number[];
  isOptional: boolean;
}

/** The nodes that become a flow of their own, and the inputs and outputs of this flow. */
export interface Extraction {
  chosen: ReadonlySet<string>;
  inputs: BorderPort[];
  outputs: BorderPort[];
}

/** Distance between the extracted nodes and the inputs and outputs of their flow. */
const GAP = 80;

/** Gives each port a name that no port before it has. */
function withNames(ports: readonly BorderPort[]): BorderPort[] {
  const taken = new Set<string>();
  return ports.map((port) => {
    const base = port.name.slice(0, 200) || 'value';
    let name = base;
    for (let count = 2; taken.has(name); count++) name = `${base}_${count}`;
    taken.add(name);
    return { ...port, name };
  });
}

/**
 * Finds the inputs and outputs of the flow that the selected nodes become, or says why they can't. Inputs and outputs of
 * the present flow stay in it.
 */
export function planExtraction(document: FlowDocument, selected: ReadonlySet<string>): Extraction | { reason: string } {
  const nodes = nodesById(document);
  const chosen = new Set(
    [...selected].filter((id) => {
      const nodeId = nodes.get(id)?.nodeId;
      return nodeId !== undefined && nodeId !== 'note' && nodeId !== 'flow_input' && nodeId !== 'flow_output';
    }),
  );
  const reason = whyNotExtracted(document, nodes, chosen);
  if (reason !== undefined) return { reason };
  const isUnset = mayStayUnset(needsOf(document), (id) => chosen.has(id));
  const inputs = new Map<string, BorderPort>();
  const outputs = new Map<string, BorderPort>();
  for (const [index, json] of document.edges.entries()) {
    const { source, sourceHandle, target, targetHandle } = readEdge(json);
    if (chosen.has(source) === chosen.has(target)) continue;
    const [ports, key] = [chosen.has(target) ? inputs : outputs, `${source} ${sourceHandle}`];
    const known = ports.get(key);
    if (known !== undefined) {
      known.edges.push(index);
      continue;
    }
    const from = nodes.get(source);
    const start = from && edgeStarts(from).find(({ handle }) => handle === sourceHandle);
    const input: DrawnInput | undefined = nodes.get(target)?.inputs.find(({ id }) => id === targetHandle);
    ports.set(key, {
      name: ports === inputs ? input?.name ?? '' : start?.name ?? '',
      types: start?.types ?? ['free'],
      edges: [index],
      isOptional: ports === outputs && isUnset(source),
    });
  }
  return { chosen, inputs: withNames([...inputs.values()]), outputs: withNames([...outputs.values()]) };
}

/** Makes an input or output of the new flow, beside the node to which its first edge leads. */
function borderNode(definition: DrawnDefinition, name: string, place: Point, graph: FlowDocument): PlainObject {
  const node = withFormData(makeNode(definition), { label: name });
  return { ...node, position: freePlace(graph, place, nodeHeight(readNode(node))) };
}

const firstHandle = (node: DrawnNode, side: 'inputs' | 'outputs'): string => node[side][0]?.id ?? '';

/** Returns the box around nodes. */
function boxOf(nodes: readonly PlainObject[]) {
  const boxes = nodes.map((json) => ({ ...readPosition(json) ?? { x: 0, y: 0 }, height: nodeHeight(readNode(json)) }));
  return {
    left: Math.min(...boxes.map(({ x }) => x)),
    right: Math.max(...boxes.map(({ x }) => x + NODE_WIDTH)),
    top: Math.min(...boxes.map(({ y }) => y)),
    bottom: Math.max(...boxes.map(({ y, height }) => y + height)),
  };
}

/** Makes the graph of the new flow: the chosen nodes, with an input or an output for each cut edge. */
export function extractedFlow(
  document: FlowDocument,
  { chosen, inputs, outputs }: Extraction,
  selected: ReadonlySet<string>,
  definitions: BorderDefinitions,
): FlowDocument {
  const taken = document.nodes.filter((json) =>
    chosen.has(nodeIdOf(json)) || isAnnotation(json) && selected.has(nodeIdOf(json))
  );
  const { left, right } = boxOf(taken);
  const heightOf = new Map(taken.map((json) => [nodeIdOf(json), readPosition(json)?.y ?? 0]));
  let graph: FlowDocument = {
    nodes: taken,
    edges: document.edges.filter((json) => {
      const { source, target } = readEdge(json);
      return chosen.has(source) && chosen.has(target);
    }),
  };
  for (const { name, edges } of inputs) {
    const cut = edges.map((index) => document.edges[index]!);
    const place = { x: left - GAP - NODE_WIDTH, y: heightOf.get(readEdge(cut[0]).target) ?? 0 };
    const json = borderNode(definitions.flow_input, name, place, graph);
    const node = readNode(json);
    // The expression of a cut edge is evaluated in the new flow, because one input may have several edges.
    const begun = cut.map((edge) => ({ ...edge, source: node.id, sourceHandle: firstHandle(node, 'outputs') }));
    graph = { nodes: [...graph.nodes, json], edges: [...graph.edges, ...begun] };
  }
  for (const { name, edges } of outputs) {
    const { source, sourceHandle } = readEdge(document.edges[edges[0]!]);
    const place = { x: right + GAP, y: heightOf.get(source) ?? 0 };
    const json = borderNode(definitions.flow_output, name, place, graph);
    const node = readNode(json);
    const ended = makeEdge({ source, sourceHandle, target: node.id, targetHandle: firstHandle(node, 'inputs') });
    graph = { nodes: [...graph.nodes, json], edges: [...graph.edges, ended] };
  }
  return graph;
}

/** Makes the node that calls the new flow. It has a port for each input and output of the flow. */
function callingNode({ inputs, outputs }: Extraction, definition: DrawnDefinition, flow: { id: number; name: string }) {
  const node = withFormData(makeNode(definition), { id: flow.id });
  const port = ({ name }: BorderPort) => ({ id: crypto.randomUUID(), name, defaultValue: '', tooltip: '' });
  return {
    ...node,
    data: {
      ...objectAt(node, 'data'),
      display_name: flow.name,
      // The flow is not called before it has all its values, because it would get null for a missing one.
      targets: inputs.map((one) => ({ ...port(one), type_bounds: one.types, required: true, passthrough: false })),
      sources: outputs.map((one) => ({
        ...port(one),
        type: one.types[0] ?? 'free',
        ...(one.isOptional && { optional: true }),
      })),
    },
  };
}

/** Replaces the chosen nodes by one node that calls the new flow. Returns the document and the id of this node. */
export function replaceExtracted(
  document: FlowDocument,
  extraction: Extraction,
  selected: ReadonlySet<string>,
  definition: DrawnDefinition,
  flow: { id: number; name: string },
): { document: FlowDocument; nodeId: string } {
  const { chosen, inputs, outputs } = extraction;
  const isTaken = (json: PlainObject) =>
    chosen.has(nodeIdOf(json)) || isAnnotation(json) && selected.has(nodeIdOf(json));
  const { left, right, top, bottom } = boxOf(document.nodes.filter((json) => chosen.has(nodeIdOf(json))));
  const rest: FlowDocument = { nodes: document.nodes.filter((json) => !isTaken(json)), edges: [] };
  const made = callingNode(extraction, definition, flow);
  const node = readNode(made);
  const height = nodeHeight(node);
  const wanted = { x: Math.round((left + right - NODE_WIDTH) / 2), y: Math.round((top + bottom - height) / 2) };
  const placed = { ...made, position: freePlace(rest, wanted, height) };
  const newEdges = new Map<number, PlainObject>();
  inputs.forEach(({ edges: [first] }, index) => {
    const { source, sourceHandle } = readEdge(document.edges[first!]);
    const edge = { source, sourceHandle, target: node.id, targetHandle: node.inputs[index]!.id };
    newEdges.set(first!, makeEdge(edge));
  });
  outputs.forEach(({ edges }, index) => {
    for (const cut of edges) {
      newEdges.set(cut, { ...document.edges[cut], source: node.id, sourceHandle: node.outputs[index]!.id });
    }
  });
  const edges = document.edges.flatMap((json, index): PlainObject[] => {
    const { source, target } = readEdge(json);
    const changed = newEdges.get(index) ?? (chosen.has(source) || chosen.has(target) ? undefined : json);
    return changed === undefined ? [] : [changed];
  });
  return { document: { nodes: [...rest.nodes, placed], edges }, nodeId: node.id };
}
