// zod is imported as a namespace. A bundler can then drop the parts of zod that the client does not use.
import * as z from 'zod';
import { type FlowIds, fromNewerFlow, isNewerFlow } from './newer_editor_flow.ts';
import { isTooDeep } from './newer_editor_values.ts';
import { isObject } from '../values/value.ts';

const chainNetworkSchema = z.object({ url: z.string(), cluster: z.enum(['devnet', 'testnet', 'mainnet-beta']) });

/** The stored parts of an exported flow; all other parts are dropped. */
const editorFlowSchema = z.object({
  name: z.string().default(''),
  description: z.string().default(''),
  nodes: z.array(z.object({ id: z.string() }, 'must be an object').catchall(z.json()), 'must be an array'),
  edges: z.array(
    z.object({ source: z.string(), target: z.string() }, 'must be an object').catchall(z.json()),
    'must be an array',
  ),
  environment: z.record(z.string(), z.string()).nullish(),
  current_network: chainNetworkSchema.nullish(),
  instructions_bundling: z.enum(['Off', 'Automatic']).nullish(),
  isPublic: z.boolean().nullish(),
  start_shared: z.boolean().nullish(),
  start_unverified: z.boolean().nullish(),
}, 'must be an object');

/**
 * Makes the row in `flows` for an exported flow in the older or the newer form. Throws a ZodError that names missing
 * parts.
 */
export const editorFlowToRow = (json: unknown) => readEditorFlow(json).row;

/** Returns the form data of a node with the stored ids of the flows that it calls. */
function withStoredIds(nodeId: unknown, formData: { [member: string]: unknown }, flowIds: FlowIds) {
  const stored = (member: string, id: unknown) => {
    const found = flowIds.get(String(id));
    return found === undefined ? {} : { [member]: found };
  };
  if (nodeId === 'interflow' || nodeId === 'interflow_instructions') {
    return { ...formData, ...stored('id', formData.id) };
  }
  if (nodeId !== 'ai_agent' || !Array.isArray(formData.tools)) return formData;
  const tools = formData.tools.map((tool) => isObject(tool) ? { ...tool, ...stored('flow', tool.flow) } : tool);
  return { ...formData, tools };
}

/**
 * Sets the ids of called flows in nodes of the older form, also those of the tools of agents. `flowIds` has the ids of
 * stored flows, by the ids that their files have. Calls of other flows stay.
 */
export function resolveCalls<Node extends { [member: string]: unknown }>(
  nodes: readonly Node[],
  flowIds: FlowIds,
): Node[] {
  return nodes.map((node) => {
    const { data } = node;
    if (!isObject(data) || !['interflow', 'interflow_instructions', 'ai_agent'].includes(String(data.node_id))) {
      return node;
    }
    const form = isObject(data.targets_form) ? data.targets_form : {};
    if (!isObject(form.form_data)) return node;
    const form_data = withStoredIds(data.node_id, form.form_data, flowIds);
    return { ...node, data: { ...data, targets_form: { ...form, form_data } } };
  });
}

/** The id of a flow in its file; undefined without one. */
const idOf = (json: unknown): string | undefined =>
  isObject(json) && (typeof json.id === 'string' || typeof json.id === 'number') ? String(json.id) : undefined;

/**
 * Makes the row in `flows` for an exported flow, and lists the parts that could not be carried over. `flowIds` has the
 * ids of flows that are already stored, by the ids that their files have; calls of these flows get the stored ids.
 */
export function readEditorFlow(json: unknown, flowIds: FlowIds = new Map()) {
  if (isTooDeep(json)) {
    throw new z.ZodError([{ code: 'custom', path: [], message: 'is nested too deep', input: undefined }]);
  }
  const id = idOf(json);
  if (!isNewerFlow(json)) {
    const row = rowOf(json);
    return { row: { ...row, nodes: resolveCalls(row.nodes, flowIds) }, id, isConverted: false, leftOut: [] };
  }
  const { flow, leftOut } = fromNewerFlow(json, flowIds);
  const others = Object.keys(flow).filter((name) => name !== 'id' && !Object.hasOwn(editorFlowSchema.shape, name));
  return {
    row: rowOf(flow),
    id,
    isConverted: true,
    leftOut: [...others.map((name) => `${name}: has no place here`), ...leftOut],
  };
}

function rowOf(json: unknown) {
  const flow = editorFlowSchema.parse(json);
  return {
    name: flow.name,
    description: flow.description,
    nodes: flow.nodes,
    edges: flow.edges,
    environment: flow.environment ?? {},
    // If omitted, the column's default applies.
    ...(flow.current_network && { chain_network: flow.current_network }),
    instructions_bundling: flow.instructions_bundling ?? 'Off',
    is_public: flow.isPublic ?? false,
    start_shared: flow.start_shared ?? false,
    start_unverified: flow.start_unverified ?? false,
  };
}
