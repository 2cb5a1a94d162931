import { isObject, type PlainObject, readEdge, readNode } from '../graph/drawn_node.ts';

/** The nodes and edges of a flow, as JSON. */
export interface GraphJson {
  nodes: readonly unknown[];
  edges: readonly unknown[];
}

/** A difference at one path of a node. */
export interface ChangedPlace {
  /** Such as `data.targets_form.form_data.amount`. */
  path: string;
  /** The former value as JSON; undefined if the path did not exist. */
  before: string | undefined;
  after: string | undefined;
}

export interface NodeChange {
  id: string;
  title: string;
  kind: 'added' | 'removed' | 'changed';
  /** The differences, for a changed node. */
  places: ChangedPlace[];
}

export interface EdgeChange {
  kind: 'added' | 'removed' | 'changed';
  /** The names of the node and the input to which the edge leads. */
  into: string;
  /** The name of the former source; undefined for an added edge. */
  before: string | undefined;
  after: string | undefined;
}

export interface GraphComparison {
  nodes: NodeChange[];
  edges: EdgeChange[];
}

/** The members of a node that runs do not read. */
const DRAWING = new Set([
  'position',
  'positionAbsolute',
  'width',
  'height',
  'measured',
  'selected',
  'dragging',
  'resizing',
  'zIndex',
]);

/** Removes the members that do not affect runs, such as the position on the canvas. */
const withoutDrawing = (node: PlainObject): PlainObject =>
  Object.fromEntries(Object.entries(node).filter(([name]) => !DRAWING.has(name)));

const toJson = (value: unknown): string | undefined => JSON.stringify(value);

/**
 * Returns the paths at which two values differ. Objects are compared member by member, and all other values as a whole.
 */
function changedPlaces(before: unknown, after: unknown, path: string): ChangedPlace[] {
  if (toJson(before) === toJson(after)) return [];
  if (!isObject(before) || !isObject(after)) return [{ path, before: toJson(before), after: toJson(after) }];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
    changedPlaces(before[name], after[name], path === '' ? name : `${path}.${name}`)
  );
}

function compareNodes(before: readonly unknown[], after: readonly unknown[]): NodeChange[] {
  const byId = (nodes: readonly unknown[]) =>
    new Map(nodes.filter(isObject).map((node) => [String(node.id), withoutDrawing(node)]));
  const [old, current] = [byId(before), byId(after)];
  return [...new Set([...old.keys(), ...current.keys()])].flatMap((id): NodeChange[] => {
    const [was, is] = [old.get(id), current.get(id)];
    const { title } = readNode(is ?? was);
    if (was === undefined) return [{ id, title, kind: 'added', places: [] }];
    if (is === undefined) return [{ id, title, kind: 'removed', places: [] }];
    const places = changedPlaces(was, is, '');
    return places.length === 0 ? [] : [{ id, title, kind: 'changed', places }];
  });
}

/** Makes a function that names an end of an edge by the title of the node and the name of the port. */
function makeNames({ nodes }: GraphJson): (nodeId: string, handle: string) => string {
  const read = new Map(nodes.map((json) => readNode(json)).map((node) => [node.id, node]));
  return (nodeId, handle) => {
    const node = read.get(nodeId);
    const port = [...node?.inputs ?? [], ...node?.outputs ?? []].find(({ id }) =>
      id === handle || handle === `passthrough-${id}`
    );
    return `${node?.title ?? nodeId} · ${port?.name ?? handle}`;
  };
}

interface NamedEdge {
  /** The input that the edge leads to. */
  key: string;
  source: string;
  into: string;
  from: string;
}

function nameEdges(graph: GraphJson): NamedEdge[] {
  const nameOf = makeNames(graph);
  return graph.edges.map((json) => {
    const { source, sourceHandle, target, targetHandle } = readEdge(json);
    return {
      key: JSON.stringify([target, targetHandle]),
      source: JSON.stringify([source, sourceHandle]),
      into: nameOf(target, targetHandle),
      from: nameOf(source, sourceHandle),
    };
  });
}

/** Compares the edges into each input. If an input has another source than before, its edge counts as changed. */
function compareEdges(before: GraphJson, after: GraphJson): EdgeChange[] {
  const [old, current] = [nameEdges(before), nameEdges(after)];
  const idOf = ({ key, source }: NamedEdge) => `${key} ${source}`;
  const [oldIds, currentIds] = [new Set(old.map(idOf)), new Set(current.map(idOf))];
  const added = Map.groupBy(current.filter((edge) => !oldIds.has(idOf(edge))), ({ key }) => key);
  const ofRemoved = old.filter((edge) => !currentIds.has(idOf(edge))).map((edge): EdgeChange => {
    const replacement = added.get(edge.key)?.shift();
    return {
      kind: replacement === undefined ? 'removed' : 'changed',
      into: edge.into,
      before: edge.from,
      after: replacement?.from,
    };
  });
  const ofAdded = [...added.values()].flat().map((edge): EdgeChange => ({
    kind: 'added',
    into: edge.into,
    before: undefined,
    after: edge.from,
  }));
  return [...ofRemoved, ...ofAdded];
}

const NO_GRAPH: GraphJson = { nodes: [], edges: [] };

/** Compares two states of a graph. A state is undefined if a deployment does not contain the flow. */
export function compareGraphs(
  before: GraphJson = NO_GRAPH,
  after: GraphJson = NO_GRAPH,
): GraphComparison {
  return { nodes: compareNodes(before.nodes, after.nodes), edges: compareEdges(before, after) };
}
