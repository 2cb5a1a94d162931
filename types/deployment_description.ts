import { z } from 'zod';

/** An input of a deployment, as `GET /deployment/read` tells it. */
export const deploymentInputSchema = z.strictObject({
  /** Its label in the flow: the name that `inputs` and `values` of a start have for it. */
  name: z.string(),
  /** What the definition says of the only port that it feeds; empty when there are several, or none. */
  description: z.string(),
  /** The types that suit every port which the value comes to; a value of one of them is right. */
  type_bounds: z.array(z.string()).min(1),
  /** The flow has no default for it, and a port requires it. */
  required: z.boolean(),
  /** The flow's default, as plain JSON; null without one, and for one of more than 4096 bytes. */
  default: z.unknown(),
  /** The JSON Schema of what `values` of a start takes for it. */
  json_schema: z.record(z.string(), z.unknown()),
});

/** An output of a deployment: the type is that of the port that feeds it. */
export const deploymentOutputSchema = z.strictObject({ name: z.string(), type: z.string() });

/** What a deployment takes and gives, for those who may start it. */
export const deploymentDescriptionSchema = z.strictObject({
  deployment_id: z.uuid(),
  flow_id: z.int().min(1).max(2_147_483_647),
  name: z.string().max(200),
  description: z.string().max(2_000),
  /** An https address. */
  icon_url: z.string().max(2_048).nullable(),
  created_at: z.iso.datetime({ offset: true }),
  start_permission: z.enum(['Owner', 'Authenticated', 'Anonymous']),
  output_instructions: z.boolean(),
  action_identity: z.string().nullable(),
  /** `[address, lamports]`; an amount may have more digits than a JavaScript number. */
  fees: z.array(z.tuple([z.string(), z.number().min(0)])),
  cluster: z.enum(['devnet', 'testnet', 'mainnet-beta']),
  inputs: z.array(deploymentInputSchema),
  outputs: z.array(deploymentOutputSchema),
});

export type DeploymentInput = z.output<typeof deploymentInputSchema>;
export type DeploymentOutput = z.output<typeof deploymentOutputSchema>;
export type DeploymentDescription = z.output<typeof deploymentDescriptionSchema>;
