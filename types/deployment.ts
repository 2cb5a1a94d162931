import { z } from 'zod';
import { type EndedRun, flowRunIdSchema } from './flow_run.ts';
import { flowLimits } from './limits/flows.ts';
import { MAX_TAG_CHARACTERS, TAG, TAG_RULE } from './tag.ts';
import { valueMapSchema } from './values/value_map_schema.ts';

/** The body of a start of a deployment. Every member is optional. */
export const startDeploymentParamsSchema = z.strictObject({
  /**
   * The flow's inputs by label. If an input is missing, it has the flow's default, or null if the flow has no default.
   * Unknown inputs are refused.
   */
  inputs: valueMapSchema.optional(),
  /**
   * Inputs by label as readable JSON. Each value is converted to a type that the input accepts (`type_bounds` of `GET
   * /deployment/read`). Each input may be in `inputs` or in `values`, but not in both.
   */
  values: z.record(z.string(), z.unknown(), 'must be an object of plain JSON').optional(),
  /**
   * The public key (base58 of 32 bytes) of the wallet that signs and sends the transaction. Only for deployments with
   * an action identity.
   */
  action_signer: z.string().optional(),
  /**
   * Seconds: among the owner's waiting runs, the run has the place of a run that was queued so much earlier, or later
   * if the number is negative. Only the owner may send it.
   */
  priority: z.int32().optional(),
});

/** The body of a start as clients send it: `inputs` as tagged values, `values` as readable JSON. */
export type StartDeploymentParams = z.input<typeof startDeploymentParamsSchema>;

const nodeIdSchema = z.string().max(flowLimits.node_id_characters.value);

/** The part of a flow that a start runs. */
export const partialConfigSchema = z.strictObject({
  /** The ids of the nodes that run. No other node runs. If the list is empty, the whole flow runs. */
  only_nodes: z.array(nodeIdSchema).max(flowLimits.flow_nodes.value),
  /** The sources of the other nodes' outputs. */
  values_config: z.strictObject({
    /**
     * By node id, the run of this flow from which the node's outputs are taken. The run must have ended, and no other
     * run may have called it.
     */
    nodes: z.record(nodeIdSchema, flowRunIdSchema).optional(),
    /** The run for all nodes that `nodes` does not name. */
    default_run_id: flowRunIdSchema.optional(),
    /**
     * Tagged values by node and port. A value given here takes precedence over a value of a run. The values of a node
     * in `only_nodes` are inputs of the node. The values of any other node are its outputs.
     */
    inline: z.record(nodeIdSchema, valueMapSchema).optional(),
  }).optional(),
});
export type PartialConfig = z.input<typeof partialConfigSchema>;

/** The body of a start of a flow. Every member is optional. */
export const startFlowParamsSchema = z.strictObject({
  ...startDeploymentParamsSchema.shape,
  /**
   * Runs only some nodes of the flow. The other nodes output values of earlier runs, or values from this configuration.
   */
  partial_config: partialConfigSchema.optional(),
  /**
   * Settings that are added to the environment of the flow. Names that the flow itself defines are ignored. Called
   * flows do not get these settings.
   */
  environment: z.record(z.string(), z.string()).optional(),
  /** If true, the run outputs its first transaction and does not send it. */
  output_instructions: z.boolean().optional(),
});

/** The body of a start of a flow as clients send it. */
export type StartFlowParams = z.input<typeof startFlowParamsSchema>;

/** The id of a flow in a path or a query: a positive 32-bit integer. */
export const flowIdSchema = z.string().regex(/^\d{1,10}$/, 'must be the integer id of a flow').transform(Number)
  .refine((id) => id <= 2_147_483_647, 'must be the integer id of a flow');

/** The path of a route that names a flow. */
export const flowPathSchema = z.object({ flow_id: flowIdSchema });

/** The query of a start or a read, which names a deployment. */
export const deploymentTargetSchema = z.object({
  id: z.uuid('must be the UUID of a deployment').optional(),
  flow: flowIdSchema.optional(),
  tag: z.string().max(MAX_TAG_CHARACTERS, TAG_RULE).regex(TAG, TAG_RULE).optional(),
});
export type DeploymentTargetQuery = z.output<typeof deploymentTargetSchema>;

/** The path of an address that serves one deployment: by its id, or by its flow and tag. */
export const deploymentPathSchema = z.union([
  z.strictObject({ deployment_id: z.uuid() }).transform(({ deployment_id }) => ({ id: deployment_id })),
  z.strictObject({ flow_id: flowIdSchema, tag: deploymentTargetSchema.shape.tag.unwrap() })
    .transform(({ flow_id, tag }) => ({ flow: flow_id, tag })),
]);

/** The body of a deploy. Every member is optional. */
export const deployFlowParamsSchema = z.strictObject({
  /**
   * A tag or the id of a deployment of the flow. The new deployment takes over all its settings. Without this member,
   * the settings are those of the flow and the defaults.
   */
  settings_from: z.string().min(1).max(MAX_TAG_CHARACTERS).optional(),
});
export type DeployFlowParams = z.output<typeof deployFlowParamsSchema>;

/** The query of a deploy, and of a start of a flow. */
export const strictQuerySchema = z.object({
  /** Refuse the flow if it has warnings. */
  strict: z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true').optional(),
});
export type StrictQuery = z.output<typeof strictQuerySchema>;

/**
 * The warnings of a deploy or a start, by code. Most codes mean that a part of the flow makes a run fail, or that a run
 * ignores the part.
 */
export const warningCodes = {
  node_not_implemented:
    'The runner does not execute the node, or the node of a tool of an agent: it has no native node or definition of this `node_id`, or executes no nodes of its type.',
  input_missing: 'A required input has neither an edge nor a value.',
  flow_empty: 'The flow has no nodes.',
  script_invalid:
    'A script has a syntax error, or the script node has no script. Only the route `POST /flow/deploy/{flow_id}` checks this.',
  expression_invalid:
    'The expression of an edge does not parse, or has a function whose results differ each time. The route `POST /flow/deploy/{flow_id}` refuses such a flow even without `strict`.',
  answer_schema_invalid:
    "The `json_schema` of a node `api_input` can't be used for answers. Only the route `POST /flow/deploy/{flow_id}` checks this.",
  names_missing:
    'An edge leads to `filter`, `body` or `params` of a query, but the form data does not list the names in it (`columns`, `param_names`), so a run fails at the node.',
  constant_invalid: "A run can't read the value in the form data of a node `const`.",
  scripts_not_parsed:
    'The route did not parse all scripts, since there are too many or they are too long. This warning does not make `strict` refuse the flow.',
  effect_may_be_skipped:
    'A node with effects does not run if the output that is connected to one of its optional inputs is left unset. This warning does not make `strict` refuse the flow.',
  effect_skipped_by_branch:
    'A node with effects runs only if a branch, switch or gate before it chooses the output. A note; it does not make `strict` refuse the flow.',
  effect_may_lack_value:
    'A node runs without one of its values if another one comes, and a node with effects behind it then acts. This warning does not make `strict` refuse the flow.',
  value_type_differs: "A value in a node's form has another type than the input, so the run fails at the node.",
  answered_by_invalid: 'The form of a node `api_input` says wrongly who may answer, so the run fails at the node.',
  error_output_unused: 'A node has `data.on_error`, but its output `error` has no edge, so its failures are lost.',
  retry_without_effect:
    'A script or a called flow has `data.retry`, which has no effect: its failures are never temporary.',
  error_output_missing:
    'A node has `data.on_error`, but `sources` has no output named `error`, so its failures are not handled.',
  connection_missing: 'The owner has no connection of this name, so the run fails at the node.',
  connection_url_open:
    'A node with a connection takes its URL from a flow input, so whoever starts the flow chooses the URL on the hosts of the connection.',
  acts_on_owner_data:
    "A node sends requests to other servers, and depends on a node that reads the owner's rows, files or key-value stores. Check this in flows of others. This warning does not make `strict` refuse the flow.",
  input_label_duplicate: 'Two flow inputs have the same label, so they get the same value.',
  edge_source_handle_unknown:
    'The source of an edge does not have the handle that the edge names. If no node has this handle, the edge is left out.',
  edge_target_handle_unknown:
    'The target of an edge does not have the handle that the edge names. If no node has this handle, the edge is left out.',
  edge_source_port_unknown:
    'An edge begins at an output that the node does not have, or at an input whose value the node does not pass on.',
  edge_target_port_unknown: 'An edge leads into an input that the node does not have.',
  edge_types_differ: 'An edge leads to an input that accepts none of the values that the output gives.',
} as const;

/** A warning. Without `strict`, it does not prevent the deploy or the start. */
export interface FlowWarning {
  /** The flow that was deployed or started, or one that it calls. */
  flow_id: number;
  code: keyof typeof warningCodes;
  /** The path in the flow, such as `edges[3].targetHandle`. */
  path: string;
  message: string;
  /**
   * The node that the warning concerns. Only warnings of the route `POST /flow/deploy/{flow_id}` have this member. The
   * warning `script_invalid` also has `line` and `column`, the position of the error in the script.
   */
  node_id?: string;
  line?: number;
  column?: number;
}

/** The limits of a deployment: starts per minute, and concurrent runs. */
export interface StartLimits {
  max_starts_per_minute: number;
  max_runs_in_flight: number;
}

/** The answer to a deploy. */
export interface DeployFlowResult {
  deployment_id: string;
  /** The first 100 warnings; most flows have none. */
  warnings: FlowWarning[];
  /**
   * The limits for all callers except the owner, together. `guests` is the part of these limits that callers without an
   * account may use. `limits` is present only if guests may start the deployment.
   */
  limits?: StartLimits & { guests: StartLimits };
}

/**
 * The answer to a start: the run's id, and a token with which its holder can see this run. The answer contains the
 * result of the run only if the start waited (`Prefer: wait=N`) and the run has ended.
 */
export interface StartResult extends Partial<EndedRun> {
  flow_run_id: string;
  token: string;
}

/** The answer to a request to a webhook. It holds no run token, because the sender may not see the run. */
export interface ReceivedWebhook {
  flow_run_id: string;
}

/** The answer to a start of a flow without a deployment. */
export interface StartFlowResult extends StartResult {
  /** The first 100 warnings; most flows have none. */
  warnings: FlowWarning[];
}
