import { DESCRIBED_TYPES } from '../../../types/described/types.ts';
import { isObject, objectAt, type PlainObject } from '../../shared/graph/drawn_node.ts';

/** A row of a definition. */
export interface DrawnDefinition {
  id: string;
  type: string;
  data: unknown;
  sources: unknown;
  targets: unknown;
  'targets_form.json_schema': unknown;
  'targets_form.ui_schema': unknown;
  'targets_form.extra': unknown;
}

const portsOf = (ports: unknown, defaults: PlainObject): PlainObject[] =>
  (Array.isArray(ports) ? ports : []).filter(isObject).map((port) => ({
    ...defaults,
    ...port,
    id: crypto.randomUUID(),
  }));

/** Returns the default values of the members that a form's schema requires, such as the text of a new script. */
function requiredDefaults(schema: unknown): PlainObject {
  const { required } = objectAt(schema);
  const properties = objectAt(schema, 'properties');
  const names = (Array.isArray(required) ? required : []).filter((name) => typeof name === 'string');
  return Object.fromEntries(names.flatMap((name) => {
    const { default: value } = Object.hasOwn(properties, name) ? objectAt(properties, name) : {};
    return value === undefined ? [] : [[name, value]];
  }));
}

/** The kinds of nodes in a flow. A definition of another kind becomes a mock, and runs do not execute mocks. */
const KINDS = new Set<string>(['native', ...DESCRIBED_TYPES, 'deno', 'WASM', 'mock']);

/**
 * Makes a new node from a definition, as editors store nodes. The ports of the node get ids. The node has no position
 * yet.
 */
export function makeNode(definition: DrawnDefinition): PlainObject {
  // A deploy reads the implementation from the definition.
  const { implementation: _, ...data } = objectAt(definition, 'data');
  const type = KINDS.has(definition.type) ? definition.type : 'mock';
  return {
    id: crypto.randomUUID(),
    type,
    data: {
      ...data,
      type,
      unique_node_id: `${String(data.node_id)}.${String(data.version)}`,
      sources: portsOf(definition.sources, { defaultValue: '', tooltip: '' }),
      targets: portsOf(definition.targets, { required: false, passthrough: false, defaultValue: '', tooltip: '' }),
      targets_form: {
        json_schema: definition['targets_form.json_schema'] ?? {},
        ui_schema: definition['targets_form.ui_schema'] ?? {},
        extra: { ...objectAt(definition, 'targets_form.extra'), supabase_id: definition.id },
        form_data: requiredDefaults(definition['targets_form.json_schema']),
      },
    },
  };
}

/** The nodes whose label is the name of their only port. Other editors also give the port the name of the label. */
const LABELLED: Record<string, 'sources' | 'targets'> = { flow_input: 'sources', flow_output: 'targets' };

const nameOf = (json: unknown): string => isObject(json) && typeof json.name === 'string' ? json.name : '';

/**
 * Returns the outputs of a switch: one for each case of its form data, and `default`. If a case keeps its name or is
 * renamed in place, its output keeps its id, so that the edges that name this id stay.
 */
function outputsOfCases(sources: unknown, formData: unknown): PlainObject[] {
  const cases = isObject(formData) && Array.isArray(formData.cases) ? formData.cases : [];
  const names = [...new Set(cases.map(nameOf).filter((name) => name !== '' && name !== 'default')), 'default'];
  const all = (Array.isArray(sources) ? sources : []).filter(isObject);
  const known = all.filter((source) => names.includes('error') || nameOf(source) !== 'error');
  const outputs = names.map((name, index) => {
    const renamed = known[index];
    const port = known.find((source) => nameOf(source) === name) ??
      (names.length === known.length && !names.includes(nameOf(renamed)) ? renamed : undefined);
    return { type: 'free', defaultValue: '', tooltip: '', id: crypto.randomUUID(), ...port, name };
  });
  return [...outputs, ...all.filter((source) => !known.includes(source))];
}

/**
 * Adds an output `error` to a node, and the setting `on_error` that makes failures go to this output. If `isHandled` is
 * false, removes the output and the setting.
 */
export function withErrorOutput(node: PlainObject, isHandled: boolean): PlainObject {
  const { on_error: _, ...data } = objectAt(node, 'data');
  const others = (Array.isArray(data.sources) ? data.sources : []).filter((source) => nameOf(source) !== 'error');
  if (!isHandled) return { ...node, data: { ...data, sources: others } };
  const error = { id: crypto.randomUUID(), name: 'error', type: 'free', defaultValue: '', tooltip: 'The failure' };
  return { ...node, data: { ...data, sources: [...others, error], on_error: 'output' } };
}

/** Replaces the form data of a node. */
export function withFormData(node: PlainObject, formData: unknown): PlainObject {
  const data = objectAt(node, 'data');
  const side = LABELLED[String(data.node_id)];
  const label = isObject(formData) ? formData.label : undefined;
  const ports = side === undefined ? undefined : data[side];
  const named = side !== undefined && typeof label === 'string' && Array.isArray(ports) && ports.length === 1 &&
    isObject(ports[0]);
  return {
    ...node,
    data: {
      ...data,
      ...(named && { [side]: [{ ...ports[0], name: label }] }),
      ...(data.node_id === 'switch' && { sources: outputsOfCases(data.sources, formData) }),
      targets_form: { ...objectAt(data, 'targets_form'), form_data: formData },
    },
  };
}
