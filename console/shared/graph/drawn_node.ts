import { shortText } from './short_text.ts';

/** A port of a node as it is drawn. */
export interface DrawnPort {
  /** The id by which edges name the port. A port of a definition has no id, so this is the name of the port. */
  id: string;
  name: string;
  /** The types that an output gives or an input accepts. */
  types: string[];
  description: string;
  /** The beginning of the port's value in the form of the node; undefined without a value. */
  value?: string | undefined;
}

export interface DrawnInput extends DrawnPort {
  isRequired: boolean;
  /** True if the node also gives the input's value as an output. */
  isPassedOn: boolean;
  /** The word by which the node runs even if the edge into this input gives no value; undefined without one. */
  whenAbsent: 'run' | 'run_unless_failed' | undefined;
}

/** The parts of a node that the canvas draws. They are read from JSON that strangers may have written. */
export interface DrawnNode {
  id: string;
  title: string;
  /** The name of the command, such as `flow_input`. */
  nodeId: string;
  /** `native`, `mock` and so on. */
  kind: string;
  description: string;
  colour: { light: string | undefined; dark: string | undefined };
  /** True if a run only hands the node's first input on instead of executing the node. */
  isDisabled: boolean;
  /** The address of an icon that is embedded in the JSON; undefined without one. */
  icon: string | undefined;
  outputs: DrawnPort[];
  inputs: DrawnInput[];
}

/** Any JSON object. */
export type PlainObject = { [name: string]: unknown };

export const isObject = (json: unknown): json is PlainObject =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

/** Returns the object at a path; an empty object if there is none. */
export const objectAt = (json: unknown, ...path: string[]): PlainObject => {
  const found = path.reduce<unknown>((outer, name) => isObject(outer) ? outer[name] : undefined, json);
  return isObject(found) ? found : {};
};

const textOf = (json: unknown): string => typeof json === 'string' ? json : '';
const listOf = (json: unknown): PlainObject[] => Array.isArray(json) ? json.filter(isObject) : [];

/**
 * Reads a colour of three or six hexadecimal digits. Returns undefined for any other text, because the colour becomes a
 * part of a style.
 */
function readColour(json: unknown): string | undefined {
  const text = textOf(json);
  return /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(text) ? text : undefined;
}

/** Reads an embedded icon. Ignores any other address, because the browser would send a request to a third party. */
function readIcon(json: unknown): string | undefined {
  const text = textOf(json);
  return /^data:image\/(?:png|jpeg|gif|webp|svg\+xml)[;,]/.test(text) ? text : undefined;
}

function readOutput(port: PlainObject): DrawnPort {
  const name = textOf(port.name);
  return { id: textOf(port.id) || name, name, types: [textOf(port.type) || 'free'], description: textOf(port.tooltip) };
}

function readInput(port: PlainObject): DrawnInput {
  const name = textOf(port.name);
  const bounds = Array.isArray(port.type_bounds) ? port.type_bounds.filter((bound) => typeof bound === 'string') : [];
  return {
    id: textOf(port.id) || name,
    name,
    types: bounds.length > 0 ? bounds : ['free'],
    description: textOf(port.tooltip),
    isRequired: port.required === true,
    isPassedOn: port.passthrough === true,
    whenAbsent: port.when_absent === 'run' || port.when_absent === 'run_unless_failed' ? port.when_absent : undefined,
  };
}

/** For the nodes `const` and `flow_input`: the field of the form that contains the value of the output. */
const FIELD_OF_OUTPUT: Record<string, string> = { const: 'value', flow_input: 'form_label' };

/** Reads the values in a node's form, as texts for its ports. Passwords are replaced by dots. */
function valuesOf(data: PlainObject, nodeId: string) {
  const form = objectAt(data, 'targets_form');
  const formData = form.form_data;
  const show = (name: string) => {
    const value = isObject(formData) && Object.hasOwn(formData, name) ? formData[name] : undefined;
    if (value === undefined) return undefined;
    return objectAt(form.ui_schema, name)['ui:widget'] === 'password' ? '••••' : shortText(value);
  };
  return {
    ofOutput: (): string | undefined =>
      FIELD_OF_OUTPUT[nodeId] === undefined ? undefined : show(FIELD_OF_OUTPUT[nodeId]),
    ofInput(name: string, isOnly: boolean): string | undefined {
      // The form of `flow_output` has only a label. The label is the name of the input, and not its value.
      if (nodeId === 'flow_output') return undefined;
      if (isObject(formData)) return show(name);
      return isOnly && formData !== undefined && formData !== null ? shortText(formData) : undefined;
    },
  };
}

/**
 * Reads a node of a flow or of a snapshot. Also reads a definition, which has its ports beside `data` and not in it.
 */
export function readNode(json: unknown): DrawnNode {
  const data = objectAt(json, 'data');
  const node = isObject(json) ? json : {};
  const label = textOf(objectAt(data, 'targets_form', 'form_data').label);
  const nodeId = textOf(data.node_id);
  const name = textOf(data.display_name) || textOf(data.name) || nodeId;
  const inputs = listOf(data.targets ?? node.targets).map(readInput);
  const values = valuesOf(data, nodeId);
  return {
    id: textOf(node.id),
    title: label === '' ? name || 'Node' : `${name}: ${label}`,
    nodeId,
    kind: textOf(data.type) || textOf(node.type) || 'native',
    description: textOf(data.description),
    colour: {
      light: readColour(objectAt(data, 'design').backgroundColor) ?? readColour(data.backgroundColor),
      dark: readColour(objectAt(data, 'design').backgroundColorDark) ?? readColour(data.backgroundColorDark),
    },
    // A deploy freezes a disabled node as the node `disabled`.
    isDisabled: data.disabled === true || nodeId === 'disabled',
    icon: readIcon(objectAt(data, 'design').icon_url),
    outputs: listOf(data.sources ?? node.sources).map(readOutput).map((port) => ({
      ...port,
      value: values.ofOutput(),
    })),
    inputs: inputs.map((port) => ({ ...port, value: values.ofInput(port.name, inputs.length === 1) })),
  };
}

/** An edge as it is drawn. */
export interface DrawnEdge {
  source: string;
  sourceHandle: string;
  target: string;
  targetHandle: string;
}

export function readEdge(json: unknown): DrawnEdge {
  const edge = isObject(json) ? json : {};
  return {
    source: textOf(edge.source),
    sourceHandle: textOf(edge.sourceHandle),
    target: textOf(edge.target),
    targetHandle: textOf(edge.targetHandle),
  };
}

/** Returns the handle of the output that gives the value of an input. */
export const passedOnHandle = (inputId: string): string => `passthrough-${inputId}`;

export interface Point {
  x: number;
  y: number;
}

/** Reads the position that the editor gave a node on the whole canvas; undefined without one. */
export function readPosition(json: unknown): Point | undefined {
  for (const name of ['positionAbsolute', 'position']) {
    const { x, y } = objectAt(json, name);
    if (typeof x === 'number' && typeof y === 'number' && Number.isFinite(x) && Number.isFinite(y)) return { x, y };
  }
  return undefined;
}
