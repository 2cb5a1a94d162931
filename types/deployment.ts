import { z } from 'zod';
import { valueMapSchema } from './value.ts';

/** The body of a start, by deployment or by flow; all of it is optional. */
export const startDeploymentParamsSchema = z.strictObject({
  /** The flow's inputs by label; a missing one takes the default that the flow gives it, else null. */
  inputs: valueMapSchema.optional(),
  /** Public key (base58 of 32 bytes) whose holder signs and sends the transaction, where the deployment has an action identity. */
  action_signer: z.string().optional(),
});

/** What a client sends: `inputs` as tagged values. */
export type StartDeploymentParams = z.input<typeof startDeploymentParamsSchema>;

/** The id of a flow in a path or a query: a positive 32-bit integer. */
export const flowIdSchema = z.string().regex(/^\d{1,10}$/, 'takes the integer id of a flow').transform(Number)
  .refine((id) => id <= 2_147_483_647, 'takes the integer id of a flow');

/** The path of a route that names a flow. */
export const flowPathSchema = z.object({ flow_id: flowIdSchema });

/** Which deployment to start, as the query of a start names it. */
export const startTargetSchema = z.object({
  id: z.uuid('takes the UUID of a deployment').optional(),
  flow: flowIdSchema.optional(),
  tag: z.string().regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/,
    'takes 1 to 128 letters, digits, dots, underscores and hyphens',
  ).optional(),
});

/** The answer to a deploy. */
export interface DeployFlowResult {
  deployment_id: string;
}

/** The answer to a start: the run, and a token that shows this one run to its holder. */
export interface StartResult {
  flow_run_id: string;
  token: string;
}
