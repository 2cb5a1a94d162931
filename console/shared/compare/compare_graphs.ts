import { digitsOf } from '../exact_json.ts';
import { isObject, type PlainObject, readEdge, readNode } from '../graph/drawn_node.ts';

/** The nodes and edges of a flow, as JSON, and its settings for runs, such as `environment`. */
export interface GraphJson {
  nodes: readonly unknown[];
  edges: readonly unknown[];
  [setting: string]: unknown;
}

/** A difference at one path of a node or an edge. */
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
  /** The differences besides the source, such as another expression. */
  places: ChangedPlace[];
}

export interface GraphComparison {
  nodes: NodeChange[];
  edges: EdgeChange[];
  /** True if nodes or edges that both states have are in another order. Runs start nodes in the order of the list. */
  isReordered: boolean;
  /** The names of the settings that differ. */
  settings: string[];
}

/** The members of a node or an edge that runs do not read. All other members are compared. */
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

/** The further members of an edge that runs do not read. */
const DRAWING_OF_EDGE = new Set([
  'id',
  'type',
  'style',
  'animated',
  'className',
  'label',
  'markerStart',
  'markerEnd',
]);

/** Removes the members that do not affect runs, such as the position on the canvas. */
const withoutDrawing = (json: PlainObject): PlainObject =>
  Object.fromEntries(Object.entries(json).filter(([name]) => !DRAWING.has(name)));

/** True for a JSON object. A number whose digits are kept is an object for JavaScript, but not for JSON. */
const isMap = (value: unknown): value is PlainObject => isObject(value) && digitsOf(value) === undefined;

/** Writes a value as JSON. The members of objects are sorted, so that equal values have equal texts. */
const toJson = (value: unknown): string | undefined =>
  JSON.stringify(
    value,
    (_name, member) =>
      isMap(member)
        ? Object.fromEntries(Object.entries(member).toSorted(([one], [other]) => one < other ? -1 : 1))
        : member,
  );

/** Returns the ports of two lists as pairs; undefined if the lists do not contain ports of the same ids and order. */
function portPairs(before: unknown, after: unknown): [PlainObject, PlainObject][] | undefined {
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) return undefined;
  const isPair = (one: unknown, other: unknown): boolean =>
    isObject(one) && isObject(other) && typeof one.id === 'string' && one.id === other.id;
  return before.every((port, index) => isPair(port, after[index]))
    ? before.map((port, index) => [port, after[index]])
    : undefined;
}

/**
 * Returns the paths at which two values differ. Objects are compared member by member, lists of ports port by port, and
 * all other values as a whole.
 */
function changedPlaces(before: unknown, after: unknown, path: string): ChangedPlace[] {
  if (toJson(before) === toJson(after)) return [];
  if (isMap(before) && isMap(after)) {
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
      changedPlaces(before[name], after[name], path === '' ? name : `${path}.${name}`)
    );
  }
  const ports = portPairs(before, after);
  if (ports === undefined) return [{ path, before: toJson(before), after: toJson(after) }];
  return ports.flatMap(([old, current]) => changedPlaces(old, current, `${path}.${current.name ?? current.id}`));
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
  /** The members besides the two ends, such as `data`. */
  others: PlainObject;
}

function nameEdges(graph: GraphJson): NamedEdge[] {
  const nameOf = makeNames(graph);
  return graph.edges.map((json) => {
    const { source, sourceHandle, target, targetHandle } = readEdge(json);
    const { source: _, sourceHandle: __, target: ___, targetHandle: ____, ...others } = isObject(json) ? json : {};
    return {
      key: JSON.stringify([target, targetHandle]),
      source: JSON.stringify([source, sourceHandle]),
      into: nameOf(target, targetHandle),
      from: nameOf(source, sourceHandle),
      others: Object.fromEntries(
        Object.entries(withoutDrawing(others)).filter(([name]) => !DRAWING_OF_EDGE.has(name)),
      ),
    };
  });
}

const idOf = ({ key, source }: NamedEdge): string => `${key} ${source}`;

/**
 * Takes from both lists the edges that `nameOf` names equally, and returns them as pairs. What remains has no partner.
 */
function takePairs(old: NamedEdge[], current: NamedEdge[], nameOf: (edge: NamedEdge) => string) {
  const waiting = new Map<string, NamedEdge[]>();
  for (const edge of current) {
    const group = waiting.get(nameOf(edge));
    if (group === undefined) waiting.set(nameOf(edge), [edge]);
    else group.push(edge);
  }
  const pairs: [NamedEdge, NamedEdge][] = [];
  const removed = old.filter((edge) => {
    const partner = waiting.get(nameOf(edge))?.shift();
    if (partner !== undefined) pairs.push([edge, partner]);
    return partner === undefined;
  });
  return { pairs, removed, added: [...waiting.values()].flat() };
}

/** Compares the edges into each input. If an input has another source than before, its edge counts as changed. */
function compareEdges(old: NamedEdge[], current: NamedEdge[]): EdgeChange[] {
  const same = takePairs(old, current, idOf);
  const moved = takePairs(same.removed, same.added, ({ key }) => key);
  const change = (kind: EdgeChange['kind'], before: NamedEdge | undefined, after: NamedEdge | undefined) => ({
    kind,
    into: (before ?? after)!.into,
    before: before?.from,
    after: after?.from,
    places: before && after ? changedPlaces(before.others, after.others, '') : [],
  });
  return [
    ...same.pairs.map(([before, after]) => change('changed', before, after)).filter(({ places }) => places.length > 0),
    ...moved.pairs.map(([before, after]) => change('changed', before, after)),
    ...moved.removed.map((edge) => change('removed', edge, undefined)),
    ...moved.added.map((edge) => change('added', undefined, edge)),
  ];
}

/** True if the names that both lists have are in another order. */
function isReordered(before: readonly string[], after: readonly string[]): boolean {
  const [old, current] = [new Set(before), new Set(after)];
  return toJson(before.filter((name) => current.has(name))) !== toJson(after.filter((name) => old.has(name)));
}

function compareSettings(before: GraphJson, after: GraphJson): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) =>
    name !== 'nodes' && name !== 'edges' && toJson(before[name]) !== toJson(after[name])
  );
}

const NO_GRAPH: GraphJson = { nodes: [], edges: [] };

const idsOf = ({ nodes }: GraphJson): string[] => nodes.filter(isObject).map(({ id }) => String(id));

/** Compares two states of a graph. A state is undefined if a deployment does not contain the flow. */
export function compareGraphs(before: GraphJson = NO_GRAPH, after: GraphJson = NO_GRAPH): GraphComparison {
  const [old, current] = [nameEdges(before), nameEdges(after)];
  return {
    nodes: compareNodes(before.nodes, after.nodes),
    edges: compareEdges(old, current),
    isReordered: isReordered(idsOf(before), idsOf(after)) || isReordered(old.map(idOf), current.map(idOf)),
    settings: before === NO_GRAPH || after === NO_GRAPH ? [] : compareSettings(before, after),
  };
}

/** True if a comparison has found no difference. */
export const isEqual = ({ nodes, edges, isReordered: isMoved, settings }: GraphComparison): boolean =>
  nodes.length + edges.length + settings.length === 0 && !isMoved;
