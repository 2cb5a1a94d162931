import { z } from 'zod';
import { deploymentLimits } from './limits/deployments.ts';
import { flowLimits } from './limits/flows.ts';
import { requestLimits } from './limits/requests.ts';

/** An input of a deployment, as returned by `GET /deployment/read`. */
const deploymentInputSchema = z.strictObject({
  /** The label in the flow: the name in `inputs` and `values` of a start. */
  name: z.string(),
  /**
   * The help text of the input. Without one, if the input feeds exactly one port: the description of the port in the
   * node's definition. Otherwise empty.
   */
  description: z.string(),
  /** The types that are accepted by all ports that the input feeds. A value must have one of these types. */
  type_bounds: z.array(z.string()).min(1),
  /** True if a port or the flow requires the input, and the flow has no default for it. */
  required: z.boolean(),
  /** The flow's default as readable JSON. Null if there is no default, or if it is larger than 4096 bytes. */
  default: z.unknown(),
  /** The JSON Schema of the input in `values` of a start. */
  json_schema: z.record(z.string(), z.unknown()),
});

/** An output of a deployment, with the type of the port that feeds it. */
const deploymentOutputSchema = z.strictObject({ name: z.string(), type: z.string() });

/** A deployment with its inputs and outputs, as shown to callers who may start it. */
export const deploymentDescriptionSchema = z.strictObject({
  deployment_id: z.uuid(),
  flow_id: z.int().min(1).max(2_147_483_647),
  name: z.string().max(flowLimits.name_characters.value),
  description: z.string().max(deploymentLimits.description_characters.value),
  /** An https address. */
  icon_url: z.string().max(requestLimits.url_characters.value).nullable(),
  created_at: z.iso.datetime({ offset: true }),
  start_permission: z.enum(['Owner', 'Authenticated', 'Anonymous']),
  output_instructions: z.boolean(),
  action_identity: z.string().nullable(),
  /** `[address, lamports]`; an amount may have more digits than a JavaScript number. */
  fees: z.array(z.tuple([z.string(), z.number().min(0)])),
  cluster: z.enum(['devnet', 'testnet', 'mainnet-beta']),
  /** True if the flow has nodes of Solana, or the deployment has settings for transactions. */
  uses_solana: z.boolean(),
  /** The number of nodes that a run executes, without those of called flows. */
  node_count: z.int().min(0),
  inputs: z.array(deploymentInputSchema),
  outputs: z.array(deploymentOutputSchema),
});

/** A deployment as assistants see it: a tool. */
const describedToolSchema = z.strictObject({
  name: z.string(),
  description: z.string(),
  deployment_id: z.uuid(),
  /** False if no node has effects outside of the run or asks a person. */
  has_effects: z.boolean(),
  inputs: z.array(deploymentInputSchema),
  outputs: z.array(deploymentOutputSchema),
});

/** A page of tools, as `rpc('list_tools')` returns it. */
export const toolPageSchema = z.strictObject({
  tools: z.array(describedToolSchema),
  /** The last flow of the page; missing on the last page. */
  next: z.int().min(1).optional(),
});

export type DescribedTool = z.output<typeof describedToolSchema>;
export type ToolPage = z.output<typeof toolPageSchema>;
export type InputDescription = z.output<typeof deploymentInputSchema>;
export type OutputDescription = z.output<typeof deploymentOutputSchema>;
export type DescribedDeployment = z.output<typeof deploymentDescriptionSchema>;
