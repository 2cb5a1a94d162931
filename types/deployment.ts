import { z } from 'zod';
import { TAG, TAG_RULE } from './tag.ts';
import { valueMapSchema } from './values/value_map_schema.ts';

/** The body of a start, by deployment or by flow; all of it is optional. */
export const startDeploymentParamsSchema = z.strictObject({
  /**
   * The flow's inputs by label. A missing input takes the default that the flow gives it, else null. An input that the
   * flow does not have is refused.
   */
  inputs: valueMapSchema.optional(),
  /**
   * Inputs by label as plain JSON, which becomes values by the types that `GET /deployment/read` tells. A name is in
   * `inputs` or here, not in both.
   */
  values: z.record(z.string(), z.unknown(), 'must be an object of plain JSON').optional(),
  /** Public key (base58 of 32 bytes) whose holder signs and sends the transaction, where the deployment has an action identity. */
  action_signer: z.string().optional(),
});

/** What a client sends: `inputs` as tagged values, `values` as plain JSON. */
export type StartDeploymentParams = z.input<typeof startDeploymentParamsSchema>;

/** The id of a flow in a path or a query: a positive 32-bit integer. */
export const flowIdSchema = z.string().regex(/^\d{1,10}$/, 'must be the integer id of a flow').transform(Number)
  .refine((id) => id <= 2_147_483_647, 'must be the integer id of a flow');

/** The path of a route that names a flow. */
export const flowPathSchema = z.object({ flow_id: flowIdSchema });

/** Which deployment is meant, as the query of a start or a read names it. */
export const deploymentTargetSchema = z.object({
  id: z.uuid('must be the UUID of a deployment').optional(),
  flow: flowIdSchema.optional(),
  tag: z.string().regex(TAG, TAG_RULE).optional(),
});
export type DeploymentTargetQuery = z.output<typeof deploymentTargetSchema>;

/** The query of a deploy, and of a start of a flow. */
export const strictQuerySchema = z.object({
  /** Refuse the flow for what would otherwise be a warning. */
  strict: z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true').optional(),
});
export type StrictQuery = z.output<typeof strictQuerySchema>;

/** Warnings of a deploy or a start, by code: what a run of the flow would fail at, or leave out. */
export const warningCodes = {
  node_not_implemented:
    'The runner does not execute the node: it has no native node of this `node_id`, or executes no nodes of its type.',
  input_missing: 'A required input has neither an edge nor a value.',
  flow_empty: 'The flow has no nodes.',
  script_invalid: 'A script has a syntax error, or there is none. Only the route `POST /flow/deploy/{flow_id}` looks.',
  scripts_not_parsed:
    'The route did not parse all scripts, since there are too many or they are too long. `strict` does not refuse it.',
  effect_may_be_skipped:
    'A node with effects does not run if the output that is connected to an optional input is left unset. `strict` does not refuse it.',
  retry_without_effect: 'A script or a called flow has `data.retry`: it has no failure that passes.',
  input_label_duplicate: 'Two flow inputs have one label, and so one value.',
  edge_source_handle_unknown:
    'The source of an edge does not have the handle that the edge names. If no node has it, the edge is left out.',
  edge_target_handle_unknown:
    'The target of an edge does not have the handle that the edge names. If no node has it, the edge is left out.',
  edge_source_port_unknown:
    'An edge begins at an output that the node does not have, or at an input that it does not pass on.',
  edge_target_port_unknown: 'An edge leads into an input that the node does not have.',
  edge_types_differ: 'An edge leads from a port to an input that converts none of the values that the port gives.',
} as const;

/** A warning: the flow is deployed, or started, all the same. */
export interface FlowWarning {
  /** The flow that was deployed or started, or one that it calls. */
  flow_id: number;
  code: keyof typeof warningCodes;
  /** Where in the flow, such as `edges[3].targetHandle`. */
  path: string;
  message: string;
  /** Of `script_invalid`: the node, and where in its script. */
  node_id?: string;
  line?: number;
  column?: number;
}

/** How often a deployment may be started in a minute, and how many runs may be in flight. */
export interface StartLimits {
  max_starts_per_minute: number;
  max_runs_in_flight: number;
}

/** The answer to a deploy. */
export interface DeployFlowResult {
  deployment_id: string;
  /** The first 100; most flows have none. */
  warnings: FlowWarning[];
  /** The limits of all callers but the owner, and of guests, who have no account; only where guests may start it. */
  limits?: StartLimits & { guests: StartLimits };
}

/** The answer to a start: the run, and a token that shows this one run to its holder. */
export interface StartResult {
  flow_run_id: string;
  token: string;
}

/** The answer to a request to a webhook, whose sender may not see the run. */
export interface ReceivedWebhook {
  flow_run_id: string;
}

/** The answer to a start of a flow without a deployment. */
export interface StartFlowResult extends StartResult {
  /** The first 100; most flows have none. */
  warnings: FlowWarning[];
}
