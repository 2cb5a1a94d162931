import { isObject, objectAt, passedOnHandle, type PlainObject, readEdge } from '../../../shared/graph/drawn_node.ts';
import { changeNode, type FlowDocument } from '../flow_document.ts';
import { drawnNode } from '../view.ts';
import { scriptNodeId } from './named_ports.ts';
import { freeName, isSetting, type PortSide, type ScriptNodeId } from './port_names.ts';

const MEMBER = { input: 'targets', output: 'sources' } as const;

const listOf = (json: PlainObject, side: PortSide): readonly unknown[] => {
  const ports = objectAt(json, 'data')[MEMBER[side]];
  return Array.isArray(ports) ? ports : [];
};

const textOf = (json: unknown): string => typeof json === 'string' ? json : '';

/** A port of a script, which the user may change. */
export interface ScriptPort {
  id: string;
  name: string;
  /** The types, joined by ` | ` if there are several. */
  type: string;
}

const typeOf = (port: PlainObject, side: PortSide): string => {
  if (side === 'output') return textOf(port.type) || 'free';
  const bounds = Array.isArray(port.type_bounds) ? port.type_bounds.filter((bound) => typeof bound === 'string') : [];
  return bounds.join(' | ') || 'free';
};

/**
 * Tests whether a port is the output that gets the failures of the node. The user adds this output with a switch in the
 * panel.
 */
const isErrorOutput = (json: PlainObject, side: PortSide, port: PlainObject): boolean =>
  side === 'output' && objectAt(json, 'data').on_error === 'output' && port.name === 'error';

/** Returns the ports of one side, without the error output. */
export const scriptPorts = (json: PlainObject, side: PortSide): ScriptPort[] =>
  listOf(json, side).filter(isObject).filter((port) => !isErrorOutput(json, side, port)).map((port) => ({
    id: textOf(port.id) || textOf(port.name),
    name: textOf(port.name),
    type: typeOf(port, side),
  }));

const namesOf = (json: PlainObject, side: PortSide): string[] => scriptPorts(json, side).map(({ name }) => name);

const withPorts = (json: PlainObject, side: PortSide, ports: readonly unknown[]): PlainObject => ({
  ...json,
  data: { ...objectAt(json, 'data'), [MEMBER[side]]: ports },
});

const isPort = (port: unknown, id: string): port is PlainObject =>
  isObject(port) && (textOf(port.id) || textOf(port.name)) === id;

const changePort = (json: PlainObject, side: PortSide, id: string, change: (port: PlainObject) => PlainObject) =>
  withPorts(json, side, listOf(json, side).map((port) => isPort(port, id) ? change(port) : port));

/** Moves the value that the form has for an input to another name. If `to` is undefined, removes the value. */
function moveValue(json: PlainObject, from: string, to: string | undefined): PlainObject {
  const form = objectAt(json, 'data', 'targets_form');
  const nodeId = scriptNodeId(drawnNode(json));
  const isValue = isObject(form.form_data) && Object.hasOwn(form.form_data, from);
  if (!isValue || nodeId === undefined || isSetting(nodeId, from)) return json;
  const members = Object.entries(objectAt(form, 'form_data')).filter(([name]) => name !== to)
    .flatMap(([name, value]) => name !== from ? [[name, value]] : to === undefined ? [] : [[to, value]]);
  const data = { ...objectAt(json, 'data'), targets_form: { ...form, form_data: Object.fromEntries(members) } };
  return { ...json, data };
}

const typed = (side: PortSide, type: string): PlainObject => side === 'input' ? { type_bounds: [type] } : { type };

/** Adds a port at the end. */
export function addPort(
  json: PlainObject,
  nodeId: ScriptNodeId,
  side: PortSide,
  { wanted = side, type = 'free', id = crypto.randomUUID() }: { wanted?: string; type?: string; id?: string } = {},
): PlainObject {
  const name = freeName(nodeId, side, wanted, namesOf(json, side));
  const members = side === 'input' ? { required: false, passthrough: false } : { optional: true };
  const port = { id, name, ...typed(side, type), ...members, defaultValue: '', tooltip: '' };
  return withPorts(json, side, [...listOf(json, side), port]);
}

/** Gives a port another name. Its edges stay, because they name the id of the port. An input keeps its value. */
export function renamePort(json: PlainObject, side: PortSide, id: string, name: string): PlainObject {
  const former = scriptPorts(json, side).find((port) => port.id === id)?.name;
  if (former === undefined || former === name) return json;
  const renamed = changePort(json, side, id, (port) => ({
    ...port,
    id,
    name,
    // A description that contains the former name is removed.
    ...(textOf(port.tooltip).includes(former) && { tooltip: '' }),
  }));
  return side === 'input' ? moveValue(renamed, former, name) : renamed;
}

export const setPortType = (json: PlainObject, side: PortSide, id: string, type: string): PlainObject =>
  changePort(json, side, id, (port) => ({ ...port, ...typed(side, type) }));

/** Moves a port up by one place. */
export function movePortUp(json: PlainObject, side: PortSide, id: string): PlainObject {
  const ports = [...listOf(json, side)];
  const index = ports.findIndex((port) => isPort(port, id));
  if (index < 1) return json;
  ports.splice(index - 1, 0, ...ports.splice(index, 1));
  return withPorts(json, side, ports);
}

/** Tests whether an edge begins or ends at a port. */
const isEdgeOf = (nodeId: string, side: PortSide, id: string) => (json: PlainObject): boolean => {
  const { source, sourceHandle, target, targetHandle } = readEdge(json);
  const begins = source === nodeId && sourceHandle === (side === 'output' ? id : passedOnHandle(id));
  return begins || (side === 'input' && target === nodeId && targetHandle === id);
};

export const countEdges = ({ edges }: FlowDocument, nodeId: string, side: PortSide, id: string): number =>
  edges.filter(isEdgeOf(nodeId, side, id)).length;

/** Removes a port, with its edges and its value. */
export function removePort(document: FlowDocument, nodeId: string, side: PortSide, id: string): FlowDocument {
  const isGone = isEdgeOf(nodeId, side, id);
  const { nodes } = changeNode(document, nodeId, (json) => {
    const name = scriptPorts(json, side).find((port) => port.id === id)?.name;
    const rest = withPorts(json, side, listOf(json, side).filter((port) => !isPort(port, id)));
    return side === 'input' && name !== undefined ? moveValue(rest, name, undefined) : rest;
  });
  return { nodes, edges: document.edges.filter((edge) => !isGone(edge)) };
}
