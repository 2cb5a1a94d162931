// zod is imported as a namespace. A bundler can then drop the parts of zod that the client does not use.
import * as z from 'zod';
import { fromNewerFlow, isNewerFlow } from './newer_editor_flow.ts';
import { isTooDeep } from './newer_editor_values.ts';

const chainNetworkSchema = z.object({ url: z.string(), cluster: z.enum(['devnet', 'testnet', 'mainnet-beta']) });

/** The stored parts of an exported flow; all other parts are dropped. */
export const editorFlowSchema = z.object({
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

/** A flow as the editor exports it. */
export type EditorFlow = z.input<typeof editorFlowSchema>;

/**
 * Makes the row in `flows` for an exported flow in the older or the newer form. Throws a ZodError that names missing
 * parts.
 */
export const editorFlowToRow = (json: unknown) => readEditorFlow(json).row;

/** Makes the row in `flows` for an exported flow, and lists the parts that could not be carried over. */
export function readEditorFlow(json: unknown) {
  if (isTooDeep(json)) {
    throw new z.ZodError([{ code: 'custom', path: [], message: 'is nested too deep', input: undefined }]);
  }
  if (!isNewerFlow(json)) return { row: rowOf(json), isConverted: false, leftOut: [] };
  const { flow, leftOut } = fromNewerFlow(json);
  const others = Object.keys(flow).filter((name) => name !== 'id' && !Object.hasOwn(editorFlowSchema.shape, name));
  return {
    row: rowOf(flow),
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
