import { parseExactly } from '../../shared/exact_json.ts';
import {
  isObject,
  objectAt,
  passedOnHandle,
  type PlainObject,
  readEdge,
  readPosition,
} from '../../shared/graph/drawn_node.ts';
import { type FlowDocument, moveNode, nodeIdOf } from './flow_document.ts';

/** Distance of a copy from its original. */
const OFFSET = 40;

/** Returns the selected nodes, with the edges among them. */
export function selectedPart(document: FlowDocument, selected: ReadonlySet<string>): FlowDocument {
  return {
    nodes: document.nodes.filter((node) => selected.has(nodeIdOf(node))),
    edges: document.edges.filter((edge) => {
      const { source, target } = readEdge(edge);
      return selected.has(source) && selected.has(target);
    }),
  };
}

/** Reads a graph from a text of the clipboard; undefined for any other text. */
export function readPart(text: string): FlowDocument | undefined {
  try {
    const json = parseExactly(text);
    if (!isObject(json) || !Array.isArray(json.nodes) || !Array.isArray(json.edges)) return undefined;
    const nodes = json.nodes.filter((node): node is PlainObject => isObject(node) && isObject(node.data));
    return nodes.length === 0 ? undefined : { nodes, edges: json.edges.filter(isObject) };
  } catch {
    return undefined;
  }
}

/** Copies a graph. The nodes and ports of the copy have new ids, and its edges name these ids. */
export function copyPart(part: FlowDocument): FlowDocument {
  const ids = new Map<string, string>();
  const renew = (id: unknown): string => {
    const fresh = crypto.randomUUID();
    if (typeof id === 'string') ids.set(id, fresh);
    return fresh;
  };
  const renewPorts = (ports: unknown) =>
    Array.isArray(ports)
      ? ports.map((port: unknown) => isObject(port) ? { ...port, id: renew(port.id) } : port)
      : ports;
  const nodes = part.nodes.map((node) => {
    const data = objectAt(node, 'data');
    const place = readPosition(node) ?? { x: 0, y: 0 };
    const copy = {
      ...node,
      id: renew(node.id),
      data: { ...data, sources: renewPorts(data.sources), targets: renewPorts(data.targets) },
    };
    return moveNode(copy, { x: place.x + OFFSET, y: place.y + OFFSET });
  });
  const handle = (id: string): string => {
    const input = id.startsWith('passthrough-') ? ids.get(id.slice('passthrough-'.length)) : undefined;
    return input === undefined ? ids.get(id) ?? id : passedOnHandle(input);
  };
  const renewMembers = (node: PlainObject): PlainObject => {
    const data = objectAt(node, 'data');
    const { group } = data;
    if (!isObject(group) || !Array.isArray(group.members)) return node;
    const members = group.members.flatMap((id: unknown) => typeof id === 'string' ? ids.get(id) ?? [] : []);
    return { ...node, data: { ...data, group: { ...group, members } } };
  };
  const edges = part.edges.map((json) => {
    const edge = readEdge(json);
    return {
      ...json,
      id: crypto.randomUUID(),
      source: ids.get(edge.source) ?? edge.source,
      target: ids.get(edge.target) ?? edge.target,
      sourceHandle: handle(edge.sourceHandle),
      targetHandle: handle(edge.targetHandle),
    };
  });
  return { nodes: nodes.map(renewMembers), edges };
}
