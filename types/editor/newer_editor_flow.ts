// zod is imported as a namespace. A bundler can then drop the parts of zod that the client does not use.
import * as z from 'zod';
import { DESCRIBED_TYPES } from '../described/types.ts';
import { whenAbsentThere } from './newer_editor_effects.ts';
import { plainOfTagged, secretIn } from './newer_editor_values.ts';
import { isObject } from '../values/value.ts';

// The newer form of the editor's flows ("V2"): a node has `data.ports` and `data.config` in place of `data.sources`,
// `data.targets` and `data.targets_form`. The newest files have the members of `ports` in `data` itself.

const portName = z.string().max(256);

const nodeSchema = z.object({
  id: z.string(),
  type: z.string().default('native'),
  data: z.looseObject({
    node_id: z.string().max(1_000),
    name: z.string().optional(),
    ports: z.object({
      inputs: z.array(z.looseObject({
        id: z.string(),
        name: portName,
        type_bounds: z.array(z.string()).default([]),
        required: z.boolean().default(false),
        passthrough: z.boolean().default(false),
      })).default([]),
      outputs: z.array(z.looseObject({
        id: z.string(),
        name: portName,
        type: z.string().default('free'),
        optional: z.boolean().default(false),
      })).default([]),
    }).default({ inputs: [], outputs: [] }),
    config: z.record(z.string(), z.unknown()).nullish(),
  }),
}).catchall(z.unknown());

type NewerNode = z.output<typeof nodeSchema>;
type Form = Record<string, unknown>;

/** Tests whether the `data` of a node has the newest form. */
const isNewest = (data: Record<string, unknown>): boolean =>
  (Array.isArray(data.inputs) || Array.isArray(data.outputs) || isObject(data.config)) &&
  ['ports', 'sources', 'targets', 'targets_form'].every((name) => data[name] === undefined);

/** Tests whether a flow has the newer form: at least one of its nodes has `ports` in `data`, or the newest form. */
export const isNewerFlow = (json: unknown): boolean =>
  isObject(json) && Array.isArray(json.nodes) &&
  json.nodes.some((node) =>
    isObject(node) && isObject(node.data) && (isObject(node.data.ports) || isNewest(node.data))
  );

/** Moves the ports of a node of the newest form to `ports`. */
function withPorts(node: unknown): unknown {
  if (!isObject(node) || !isObject(node.data) || !isNewest(node.data)) return node;
  const { inputs, outputs, ...data } = node.data;
  return { ...node, data: { ...data, ports: { inputs: inputs ?? undefined, outputs: outputs ?? undefined } } };
}

/** The ids of stored flows, by the ids that their files have. */
export type FlowIds = ReadonlyMap<string, number>;

/** Returns the name of a node without its prefix `@author/prefix.` and without its version. */
function bareName(name: string): string {
  if (!name.startsWith('@')) return name;
  const [, bare = name] = name.slice(name.indexOf('/') + 1).split('.');
  return bare;
}

const RENAMED_TYPES: readonly string[] = ['native', ...DESCRIBED_TYPES, 'deno', 'WASM', 'mock'];

const typeOf = ({ type, data }: NewerNode): string =>
  bareName(data.node_id).startsWith('deno_') || !RENAMED_TYPES.includes(type) ? 'deno' : type;

/**
 * Makes the form data of a node, depending on the node's kind. Calls `leave` for each part that has no place in the
 * form data.
 */
function formOf(node: NewerNode, flowIds: FlowIds, leave: (what: string) => void): Form {
  const { node_id, ports, config } = node.data;
  const given = config ?? {};
  const read = (name: string) => plainOfTagged(given[name], (what) => leave(`config.${name}: ${what}`));
  const plain = (names = Object.keys(given)): Form => Object.fromEntries(names.map((name) => [name, read(name)]));
  switch (bareName(node_id)) {
    case 'const': {
      const { type, value } = given;
      const isText = type !== 'JSON' && type !== 'File' || typeof value === 'string' || Array.isArray(value);
      // JSON other than a text or an array becomes the text of its plain form.
      return { type, value: isText ? value : JSON.stringify(read('value')) };
    }
    case 'flow_input': {
      const first = given.form_label ?? given.value;
      return {
        label: ports.outputs[0]?.name ?? read('label'),
        ...(first !== undefined && { form_label: plainOfTagged(first, (what) => leave(`config: ${what}`)) }),
      };
    }
    case 'flow_output':
      return { label: ports.inputs[0]?.name ?? read('label') };
    case 'interflow':
    case 'interflow_instructions': {
      const called = read('flow_id') ?? read('id');
      const id = flowIds.get(String(called)) ?? Number(called);
      if (Number.isSafeInteger(id) && id > 0) return { id };
      leave(
        'config.flow_id: flows have integer ids here. Import the called flow together with this one, or store it and set its id in the form of the node',
      );
      return {};
    }
    case 'http_request': {
      const connection = secretIn(given);
      return { ...plain(), ...(connection !== undefined && { connection }) };
    }
    default:
      return plain();
  }
}

/** Converts one node to the stored form. */
function storedNode(node: NewerNode, flowIds: FlowIds, leave: (what: string) => void) {
  const { ports, config, node_id, name, ...others } = node.data;
  const nodeId = bareName(node_id);
  const isCall = nodeId.startsWith('interflow');
  return {
    ...node,
    type: typeOf(node),
    data: {
      ...others,
      type: typeOf(node),
      node_id: nodeId,
      ...(name !== undefined && { display_name: name }),
      // In the older form, the output of a constant is named `Source`.
      sources: ports.outputs.map((port) => nodeId === 'const' ? { ...port, name: 'Source' } : port),
      // Drops the input `flow`, in which the editor names the called flow.
      targets: ports.inputs.filter((port) => !(isCall && port.name === 'flow'))
        .map((port) => ({ ...port, ...whenAbsentThere(nodeId, port.required) })),
      targets_form: { form_data: formOf(node, flowIds, leave) },
      // These members are kept so that the flow can be exported in the newer form again.
      newer_editor: { node_id, config: config ?? null },
    },
  };
}

/**
 * Converts a flow of the newer form to the older one. Calls of flows in `flowIds` get their stored ids. `leftOut` lists
 * the parts of nodes that could not be carried over.
 */
export function fromNewerFlow(
  json: unknown,
  flowIds: FlowIds,
): { flow: Record<string, unknown>; leftOut: string[] } {
  const flow = z.looseObject({ nodes: z.array(z.preprocess(withPorts, nodeSchema)) }).parse(json);
  const leftOut: string[] = [];
  const nodes = flow.nodes.map((node, index) =>
    storedNode(node, flowIds, (what) => leftOut.push(`nodes[${index}].data.${what}`))
  );
  return { flow: { ...flow, nodes }, leftOut };
}
