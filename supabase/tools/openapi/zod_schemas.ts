import { z } from 'zod';
import type { Database } from '../../../types/database.types.ts';
import {
  type DeployFlowResult,
  type FlowWarning,
  type StartFlowResult,
  type StartResult,
  startTargetSchema,
  warningCodes,
} from '../../../types/deployment.ts';
import {
  type FlowRunResult,
  type RunStatus,
  stopFlowParamsSchema,
  type StopFlowResult,
} from '../../../types/flow_run.ts';
import {
  type AnswerableRequest,
  MAX_MESSAGE_BYTES,
  type PendingSignatureRequest,
  type PendingSignatureResult,
  type SignatureRequestState,
  type SubmitSignatureResult,
} from '../../../types/signature_request.ts';
import { type Value, type ValueMap, valueMapSchema } from '../../../types/values/value.ts';
import type { Wallet } from '../../../types/wallet.ts';
import { type JsonSchema, ref } from './json_schema.ts';

type Functions = Database['public']['Functions'];

/** These stand for schemas that have a name in the document. */
const inputsSchema: z.ZodType<ValueMap> = z.unknown() as z.ZodType<ValueMap>;
const pendingRequestSchema = z.unknown() as z.ZodType<PendingSignatureRequest>;
const runOutputSchema = z.unknown() as z.ZodType<Extract<Value, { M: ValueMap }>>;

const publicKeySchema = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
const signatureSchema = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/);
/** Padded base64, never empty. */
const base64Schema = z.string().regex(/^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/);
export const messageSchema = base64Schema.max(Math.ceil(MAX_MESSAGE_BYTES / 3) * 4);
const tokenSchema = z.string().regex(/^fr_[A-Za-z0-9_-]{64}$/);
export const timeSchema = z.iso.datetime({ offset: true });
const rowIdSchema = z.int().min(1).max(2_147_483_647);

const runStatusSchema = z.enum(['queued', 'running', 'waiting', 'succeeded', 'failed', 'stopped']) satisfies z.ZodType<
  RunStatus
>;

/** Stands for the schema of one warning, an item of the document's lists of warnings. */
const warningSchema = z.unknown() as z.ZodType<FlowWarning>;
const warningsSchema = z.array(warningSchema).max(100);
const warningCodeSchema = z.enum(Object.keys(warningCodes) as [keyof typeof warningCodes]);

const flowIdArgument = z.int().min(0).max(2_147_483_647);

/** The arguments of the database's functions, which are the bodies of their calls. */
export const argumentSchemas = {
  start_deployment: z.strictObject({
    id: startTargetSchema.shape.id,
    flow: flowIdArgument.optional(),
    tag: startTargetSchema.shape.tag,
    inputs: inputsSchema.optional(),
    action_signer: publicKeySchema.optional(),
    public_key: publicKeySchema.optional(),
    idempotency_key: z.string().min(1).max(255).optional(),
  }),
  start_flow: z.strictObject({
    flow_id: flowIdArgument,
    inputs: inputsSchema.optional(),
    action_signer: publicKeySchema.optional(),
    idempotency_key: z.string().min(1).max(255).optional(),
    strict: z.boolean().optional(),
  }),
  deploy_flow: z.strictObject({ flow_id: flowIdArgument, strict: z.boolean().optional() }),
  flow_run_result: z.strictObject({ flow_run_id: z.uuid() }),
  await_flow_run_result: z.strictObject({ flow_run_id: z.uuid() }),
  called_flow_runs: z.strictObject({ flow_run_id: z.uuid(), after: z.uuid().optional() }),
  stop_flow_run: stopFlowParamsSchema.extend({ flow_run_id: z.uuid() }),
  pending_signature_request: z.strictObject({ flow_run_id: z.uuid() }),
  signature_request_for_caller: z.strictObject({ id: z.uuid(), new_msg: messageSchema.optional() }),
  create_api_key: z.strictObject({ name: z.string().min(1).max(100) }),
  whoami: z.strictObject({}),
} satisfies { [Name in keyof Functions]?: z.ZodType<Omit<Functions[Name]['Args'], 'inputs'>> };

/** The answers. They say the same as the types. */
export const answerSchemas = {
  DeployFlowResult: z.strictObject({
    deployment_id: z.uuid(),
    warnings: warningsSchema,
  }) satisfies z.ZodType<DeployFlowResult>,
  StartFlowResult: z.strictObject({
    flow_run_id: z.uuid(),
    token: tokenSchema,
    warnings: warningsSchema,
  }) satisfies z.ZodType<StartFlowResult>,
  StartResult: z.strictObject({ flow_run_id: z.uuid(), token: tokenSchema }) satisfies z.ZodType<StartResult>,
  RunPending: z.strictObject({ status: runStatusSchema.extract(['queued', 'running', 'waiting']) }),
  FlowRunResult: z.strictObject({
    status: runStatusSchema,
    output: runOutputSchema.nullable(),
    errors: z.array(z.string()).min(1).nullable(),
    is_overdue: z.boolean(),
  }) satisfies z.ZodType<FlowRunResult>,
  CalledFlowRun: z.strictObject({
    id: z.uuid(),
    status: runStatusSchema,
    created_at: timeSchema,
    start_time: timeSchema,
    end_time: timeSchema.nullable(),
    parent_flow_run_id: z.uuid(),
    parent_node_id: z.uuid(),
    parent_times: z.int().min(0),
  }),
  StopFlowResult: z.strictObject({ success: z.literal(true) }) satisfies z.ZodType<StopFlowResult>,
  PendingSignatureRequest: z.strictObject({
    id: z.uuid(),
    time: z.int().min(0),
    pubkey: publicKeySchema,
    message: base64Schema,
    timeout: z.number(),
    flow_run_id: z.uuid(),
    signatures: z.array(z.strictObject({ pubkey: publicKeySchema, signature: signatureSchema })).nullable(),
  }) satisfies z.ZodType<PendingSignatureRequest>,
  PendingSignatureResult: z.strictObject({
    request: pendingRequestSchema.nullable(),
    is_overdue: z.boolean(),
  }) satisfies z.ZodType<PendingSignatureResult>,
  AnswerableRequest: z.strictObject({
    id: z.uuid(),
    pubkey: publicKeySchema,
    msg: base64Schema,
  }) satisfies z.ZodType<AnswerableRequest>,
  SubmitSignatureResult: z.strictObject({ success: z.literal(true) }) satisfies z.ZodType<SubmitSignatureResult>,
  SignatureRequestState: z.strictObject({
    signature: signatureSchema.nullable(),
    new_msg: base64Schema.nullable(),
    expires_at: timeSchema,
    run_status: runStatusSchema,
  }) satisfies z.ZodType<SignatureRequestState>,
  Wallet: z.strictObject({
    id: rowIdSchema,
    user_id: z.uuid(),
    type: z.enum(['HARDCODED', 'ADAPTER']),
    name: z.string(),
    public_key: publicKeySchema,
    created_at: timeSchema,
    updated_at: timeSchema,
  }) satisfies z.ZodType<Wallet>,
  Caller: z.strictObject({ user_id: z.uuid(), is_anonymous: z.boolean() }),
  NewApiKey: z.strictObject({
    id: z.uuid(),
    name: z.string(),
    prefix: z.string().regex(/^fk_[A-Za-z0-9_-]{7}$/),
    created_at: timeSchema,
    key: z.string().regex(/^fk_[A-Za-z0-9_-]{43}$/),
  }),
  Fault: z.strictObject({ path: z.string(), message: z.string() }),
  Finding: z.strictObject({
    flow_id: rowIdSchema,
    code: z.enum([
      ...warningCodeSchema.options,
      'flow_too_large',
      'node_malformed',
      'node_id_duplicate',
      'edge_source_unknown',
      'edge_target_unknown',
      'input_connected_twice',
      'node_edges_too_many',
      'output_label_duplicate',
      'graph_has_cycle',
      'interflow_flow_unknown',
      'snapshot_too_large',
      'environment_value_invalid',
      'environment_key_pair',
      'environment_wallet_unknown',
    ]),
    path: z.string(),
    message: z.string(),
  }),
  FlowWarning: z.strictObject({
    flow_id: rowIdSchema,
    code: warningCodeSchema,
    path: z.string(),
    message: z.string(),
  }) satisfies z.ZodType<FlowWarning>,
  EndedRun: z.strictObject({ errors: z.array(z.string()).nullable(), output: runOutputSchema.nullable() }),
};

/** Zod schemas that stand for a named schema of the document. */
const references = new Map<z.ZodType, string>([
  [valueMapSchema, 'ValueMap'],
  [inputsSchema, 'ValueMap'],
  [runOutputSchema, 'Output'],
  [warningSchema, 'FlowWarning'],
  [pendingRequestSchema, 'PendingSignatureRequest'],
]);

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override: ({ zodSchema, jsonSchema }) => {
      // SAFETY: it is the schema itself, under the name of zod's core.
      const name = references.get(zodSchema as unknown as z.ZodType);
      if (name !== undefined) Object.assign(jsonSchema, ref(name));
    },
  });
  return json as JsonSchema;
}

/** The JSON Schema of a zod schema's input. */
export const input = (schema: z.ZodType): JsonSchema => toJsonSchema(schema, 'input');

/** The JSON Schema of a zod schema's output. */
export const output = (schema: z.ZodType): JsonSchema => toJsonSchema(schema, 'output');
