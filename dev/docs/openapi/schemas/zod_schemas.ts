import { runLimits } from '../../../../types/limits/runs.ts';
import type { ApiKeyInfo, CreateApiKeyResult, NewApiKey } from '../../../../types/api_key.ts';
import {
  type DeleteKvItemResult,
  kvItemParamsSchema,
  kvStoreParamsSchema,
  type KvStoreResult,
  type ReadKvItemResult,
} from '../../../../types/kv_store.ts';
import type { HealthcheckResult, ProjectInfo } from '../../../../types/project_info.ts';
import { z } from 'zod';
import type { ActionGetResult, ActionPostResult, ActionsJson, CompletedAction } from '../../../../types/action.ts';
import type { Database } from '../../../../types/database.types.ts';
import {
  deployFlowParamsSchema,
  type DeployFlowResult,
  deploymentTargetSchema,
  type FlowWarning,
  partialConfigSchema,
  type ReceivedWebhook,
  startFlowParamsSchema,
  type StartFlowResult,
  type StartResult,
  warningCodes,
} from '../../../../types/deployment.ts';
import { deploymentDescriptionSchema, toolPageSchema } from '../../../../types/deployment_description.ts';
import {
  type FlowRunResult,
  redriveParamsSchema,
  type RunStatus,
  stopFlowParamsSchema,
  type StopFlowResult,
} from '../../../../types/flow_run.ts';
import {
  type AnswerableRequest,
  MAX_MESSAGE_BYTES,
  type PendingSignatureRequest,
  type PendingSignatureResult,
  requestIdSchema,
  type SignatureRequestState,
  type SubmitSignatureResult,
} from '../../../../types/signature_request.ts';
import type { AnswerInputResult } from '../../../../types/pending_input.ts';
import type { Value, ValueMap } from '../../../../types/values/value.ts';
import { valueSchema } from '../../../../types/values/value_schema.ts';
import { valueMapSchema } from '../../../../types/values/value_map_schema.ts';
import type { ReadDocument } from '../../../../types/described/document.ts';
import type { ServerTools } from '../../../../types/described/server_tools.ts';
import type { Connection, TestedConnection } from '../../../../types/connection.ts';
import type { Wallet } from '../../../../types/wallet.ts';
import { type JsonSchema, ref } from './json_schema.ts';

type Functions = Database['public']['Functions'];

/** Placeholders for schemas that have a name in the document. */
const inputsSchema: z.ZodType<ValueMap> = z.unknown() as z.ZodType<ValueMap>;
const pendingRequestSchema = z.unknown() as z.ZodType<PendingSignatureRequest>;
const runOutputSchema = z.unknown() as z.ZodType<Extract<Value, { M: ValueMap }>>;

/** A placeholder for the schema of a value. */
const anyValueSchema = z.unknown() as z.ZodType<Value>;

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

/** A placeholder for the schema of one warning, an item of the document's lists of warnings. */
const warningSchema = z.unknown() as z.ZodType<FlowWarning>;
const warningsSchema = z.array(warningSchema).max(100);
const warningCodeSchema = z.enum(Object.keys(warningCodes) as [keyof typeof warningCodes]);

const flowIdArgument = z.int().min(0).max(2_147_483_647);

const starterSchema = z.enum(['schedule', 'webhook', 'row_start', 'flow', 'user', 'key']);

/** The filter of lists of runs. */
const runFilter = {
  search: z.string().min(1).max(runLimits.run_search_characters.value).optional(),
  flow: flowIdArgument.optional(),
  deployment: z.uuid().optional(),
  schedule: z.uuid().optional(),
  webhook: z.uuid().optional(),
  status: runStatusSchema.optional(),
  starter: starterSchema.optional(),
  since: z.iso.datetime({ offset: true }).optional(),
  until: z.iso.datetime({ offset: true }).optional(),
};

/** The id of a schedule or webhook, and the columns about the runs that it starts. */
const automaticStart = {
  id: z.uuid(),
  flow: rowIdSchema.nullable(),
  tag: z.string().nullable(),
  deployment_id: z.uuid().nullable(),
  is_active: z.boolean(),
  last_start_at: timeSchema.nullable(),
  last_flow_run_id: z.uuid().nullable(),
  last_error: z.string().nullable(),
  created_at: timeSchema,
  updated_at: timeSchema,
};
const verificationSchema = z.enum(['standard_webhooks', 'github', 'stripe', 'hmac', 'authorization']);
const hmacSchema = z.strictObject({
  header: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  algorithm: z.enum(['sha256', 'sha1']),
  encoding: z.enum(['hex', 'base64']),
  prefix: z.string().regex(/^[ -~]{0,64}$/),
  id_header: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/).nullable(),
});
const hmacArgument = hmacSchema.partial({ algorithm: true, encoding: true, prefix: true, id_header: true }).optional();
const webhookSchema = z.strictObject({
  ...automaticStart,
  prefix: z.string().regex(/^fh_[A-Za-z0-9_-]{7}$/),
  input: z.string().max(256),
  headers: z.array(z.string().regex(/^[a-z0-9_-]{1,64}$/)).max(20),
  verification: verificationSchema.nullable(),
  hmac: hmacSchema.nullable(),
  whole_request: z.boolean(),
  respond: z.boolean(),
});
const scheduleSchema = z.strictObject({
  ...automaticStart,
  user_id: z.uuid(),
  cron: z.string().max(100),
  time_zone: z.string().max(64),
  inputs: inputsSchema,
  values: z.record(z.string(), z.unknown()),
  policy: z.enum(['catch_up_one', 'skip']),
  next_start_at: timeSchema.nullable(),
});

/** The row of `flow_schedules` that clients post. */
export const newScheduleSchema = scheduleSchema.pick({
  flow: true,
  tag: true,
  deployment_id: true,
  cron: true,
  time_zone: true,
  inputs: true,
  values: true,
  policy: true,
  is_active: true,
}).partial().required({ cron: true });

const valuesSchema = z.record(z.string(), z.unknown()).optional();

/** The arguments of the SQL functions. A call of a function sends them as its body. */
export const argumentSchemas = {
  start_deployment: z.strictObject({
    id: deploymentTargetSchema.shape.id,
    flow: flowIdArgument.optional(),
    tag: deploymentTargetSchema.shape.tag,
    inputs: inputsSchema.optional(),
    action_signer: publicKeySchema.optional(),
    priority: startFlowParamsSchema.shape.priority,
    public_key: publicKeySchema.optional(),
    idempotency_key: z.string().min(1).max(255).optional(),
    values: valuesSchema,
  }),
  start_flow: z.strictObject({
    flow_id: flowIdArgument,
    inputs: inputsSchema.optional(),
    action_signer: publicKeySchema.optional(),
    priority: startFlowParamsSchema.shape.priority,
    idempotency_key: z.string().min(1).max(255).optional(),
    strict: z.boolean().optional(),
    values: valuesSchema,
    partial_config: partialConfigSchema.optional(),
    environment: startFlowParamsSchema.shape.environment,
    output_instructions: startFlowParamsSchema.shape.output_instructions,
  }),
  read_deployment: z.strictObject({
    id: deploymentTargetSchema.shape.id,
    flow: flowIdArgument.optional(),
    tag: deploymentTargetSchema.shape.tag,
    public_key: publicKeySchema.optional(),
  }),
  list_tools: z.strictObject({
    id: deploymentTargetSchema.shape.id,
    flow: flowIdArgument.optional(),
    tag: deploymentTargetSchema.shape.tag,
    public_key: publicKeySchema.optional(),
    tool_name: z.string().optional(),
    after_flow: flowIdArgument.optional(),
  }),
  tool_run: z.strictObject({ deployment_id: z.uuid(), public_key: publicKeySchema.optional() }),
  deployment_graph: z.strictObject({ id: z.uuid() }),
  flow_has_changed: z.strictObject({ id: z.uuid() }),
  read_flow_scripts: z.strictObject({ flow_id: flowIdArgument }),
  check_flow: z.strictObject({
    flow: z.looseObject({
      nodes: z.array(z.unknown()),
      edges: z.array(z.unknown()),
      environment: z.record(z.string(), z.string()).optional(),
      id: flowIdArgument.optional(),
    }).optional(),
    flow_id: flowIdArgument.optional(),
  }),
  input_answerer: z.strictObject({ token: z.string() }),
  flow_history: z.strictObject({ flow_id: flowIdArgument }),
  keep_flow_version: z.strictObject({ flow_id: flowIdArgument, name: z.string().min(1).max(200).optional() }),
  restore_flow_version: z.strictObject({ id: z.int().min(1), updated_at: timeSchema.optional() }),
  deploy_flow: z.strictObject({
    flow_id: flowIdArgument,
    strict: z.boolean().optional(),
    as_of: z.record(z.string(), timeSchema).optional(),
    settings_from: deployFlowParamsSchema.shape.settings_from,
  }),
  compare_deploy_settings: z.strictObject({
    flow_id: flowIdArgument,
    settings_from: deployFlowParamsSchema.shape.settings_from.unwrap(),
  }),
  flow_run_result: z.strictObject({ flow_run_id: z.uuid() }),
  await_flow_run_result: z.strictObject({ flow_run_id: z.uuid() }),
  flow_run_wait: z.strictObject({ flow_run_id: z.uuid() }),
  called_flow_runs: z.strictObject({ flow_run_id: z.uuid(), after: z.uuid().optional() }),
  flow_run_events: z.strictObject({ flow_run_id: z.uuid(), after: z.int().min(0).max(2_147_483_647).optional() }),
  flow_run_stats: z.strictObject({
    flow: flowIdArgument.optional(),
    deployment: z.uuid().optional(),
    since: z.iso.datetime({ offset: true }).optional(),
  }),
  find_flow_runs: z.strictObject({ ...runFilter, skip: z.int().min(0).optional(), take: z.int().min(1).optional() }),
  flow_run_overview: z.strictObject(runFilter),
  rotate_on_end_secret: z.strictObject({ flow_id: flowIdArgument }),
  redeliver_webhook: z.strictObject({ id: z.uuid() }),
  next_cron_times: z.strictObject({ cron: z.string().max(100), time_zone: z.string().max(64).optional() }),
  redrive_flow_run: z.strictObject({
    flow_run_id: z.uuid(),
    accept_unknown: z.boolean().optional(),
    idempotency_key: z.string().min(1).max(255).optional(),
    deployment: z.uuid().optional(),
    ...redriveParamsSchema.shape,
  }),
  redrive_flow_runs: z.strictObject({
    flow: flowIdArgument.optional(),
    deployment: z.uuid().optional(),
    since: z.iso.datetime({ offset: true }).optional(),
    until: z.iso.datetime({ offset: true }).optional(),
    error_code: z.string().max(64).optional(),
    accept_unknown: z.boolean().optional(),
    max_runs: z.int().min(1).max(100).optional(),
    on_deployment: z.uuid().optional(),
  }),
  stop_flow_run: stopFlowParamsSchema.extend({ flow_run_id: z.uuid() }),
  pending_signature_request: z.strictObject({ flow_run_id: z.uuid() }),
  signature_request_for_caller: z.strictObject({ id: requestIdSchema, new_msg: messageSchema.optional() }),
  create_kv_store: kvStoreParamsSchema,
  delete_kv_store: kvStoreParamsSchema,
  read_kv_item: kvItemParamsSchema,
  delete_kv_item: kvItemParamsSchema,
  delete_api_key: z.strictObject({ id: z.uuid() }),
  create_api_key: z.strictObject({ name: z.string().min(1).max(100) }),
  create_webhook: z.strictObject({
    input: z.string().max(256),
    flow: flowIdArgument.optional(),
    tag: deploymentTargetSchema.shape.tag,
    deployment_id: z.uuid().optional(),
    headers: z.array(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/)).max(20).optional(),
    verification: verificationSchema.optional(),
    secret: z.string().min(8).max(1_000).optional(),
    hmac: hmacArgument,
    whole_request: z.boolean().optional(),
    respond: z.boolean().optional(),
  }),
  set_webhook_verification: z.strictObject({
    webhook_id: z.uuid(),
    verification: verificationSchema.optional(),
    secret: z.string().min(8).max(1_000).optional(),
    hmac: hmacArgument,
  }),
  whoami: z.strictObject({}),
} satisfies { [Name in keyof Functions]?: z.ZodType<Omit<Functions[Name]['Args'], 'inputs' | 'values' | 'flow'>> };

const anyActionField = { name: z.string(), label: z.string(), required: z.boolean() };
const actionFieldSchema = z.strictObject({
  ...anyActionField,
  type: z.enum(['text', 'number', 'textarea', 'email', 'url']),
  pattern: z.string().optional(),
  patternDescription: z.string().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
});
const actionDateSchema = z.strictObject({ ...anyActionField, type: z.literal('date') });
const actionChoiceSchema = z.strictObject({
  ...anyActionField,
  type: z.literal('select'),
  options: z.array(z.strictObject({ label: z.string(), value: z.string(), selected: z.boolean().optional() })),
});
const actionView = {
  icon: z.url(),
  title: z.string(),
  description: z.string(),
  label: z.string(),
  disabled: z.boolean().optional(),
  error: z.strictObject({ message: z.string() }).optional(),
};
const linkedActionSchema = z.strictObject({
  type: z.literal('transaction'),
  href: z.string(),
  label: z.string(),
  parameters: z.array(z.union([actionFieldSchema, actionDateSchema, actionChoiceSchema])).optional(),
});

/** The schemas from here on describe answers. The compiler checks that they match the types of the answers. */
const startLimits = { max_starts_per_minute: z.int().min(0), max_runs_in_flight: z.int().min(0) };

/** The result of a run that has ended while its start waited. */
const endedRunSchemas = {
  status: runStatusSchema.extract(['succeeded', 'failed', 'stopped']).optional(),
  output: runOutputSchema.nullable().optional(),
  errors: z.array(z.string()).min(1).nullable().optional(),
};

export const answerSchemas = {
  DeployFlowResult: z.strictObject({
    deployment_id: z.uuid(),
    warnings: warningsSchema,
    limits: z.strictObject({ ...startLimits, guests: z.strictObject(startLimits) }).optional(),
  }) satisfies z.ZodType<DeployFlowResult>,
  DeploymentDescription: deploymentDescriptionSchema,
  ToolPage: toolPageSchema,
  ToolRun: z.strictObject({
    flow_run_id: z.uuid(),
    status: runStatusSchema,
    output: runOutputSchema.nullable(),
    errors: z.array(z.string()).nullable(),
    asks_for_signature: z.boolean(),
    questions: z.array(z.strictObject({
      id: z.uuid(),
      url: z.string().optional(),
      title: z.string().nullable().optional(),
      description: z.string().nullable().optional(),
      json_schema: z.record(z.string(), z.unknown()).nullable().optional(),
      choices: z.array(z.string()).nullable().optional(),
    })),
  }),
  ComparedSetting: z.strictObject({ setting: z.string(), kept: z.unknown(), otherwise: z.unknown() }),
  InputAnswerer: z.strictObject({ user_id: z.uuid().nullable(), run_id: z.uuid().nullable() }),
  FlowScripts: z.strictObject({
    as_of: z.record(z.string(), timeSchema),
    scripts: z.array(
      z.strictObject({
        flow_id: rowIdSchema,
        index: z.int().min(0),
        node_id: z.string(),
        source: z.string().nullable(),
      }),
    ).max(500),
    scripts_left_out: z.int().min(0),
    flows_left_out: z.int().min(0),
  }),
  DeploymentGraph: z.strictObject({
    deployment_id: z.uuid(),
    flow_id: rowIdSchema,
    flows: z.record(
      z.string(),
      z.strictObject({
        nodes: z.array(z.looseObject({ id: z.uuid(), data: z.record(z.string(), z.unknown()), position: z.unknown() })),
        edges: z.array(z.record(z.string(), z.unknown())),
        environment: z.record(z.string(), z.string()),
        instructions_bundling: z.enum(['Off', 'Automatic']),
      }),
    ),
  }),
  FlowProblems: z.strictObject({
    problems: z.array(z.strictObject({
      code: z.string(),
      path: z.string(),
      message: z.string(),
      severity: z.enum(['prevents_deploy', 'fails_run', 'warning', 'note']),
      flow_id: rowIdSchema.optional(),
      port: z.string().optional(),
    })),
    is_complete: z.boolean(),
  }),
  FlowHistory: z.array(z.strictObject({
    id: z.int().min(1),
    name: z.string().nullable(),
    saved_at: timeSchema,
    created_at: timeSchema,
    bytes: z.int().min(0),
    is_current: z.boolean(),
    deployment_id: z.uuid().nullable(),
    tags: z.array(z.string()),
  })),
  RestoredFlowVersion: z.strictObject({ updated_at: timeSchema, kept_version_id: z.int().min(1) }),
  OnEndSecret: z.strictObject({ secret: z.string().regex(/^whsec_[A-Za-z0-9+/]{43}=$/) }),
  RunEventPage: z.strictObject({
    events: z.array(z.strictObject({
      id: z.int().min(1),
      event: z.enum([
        'run_start',
        'node_start',
        'node_finish',
        'node_error',
        'log',
        'signature_request',
        'api_input',
        'run_finish',
      ]),
      data: z.record(z.string(), z.unknown()),
    })),
    last: z.int().min(0),
    has_more: z.boolean(),
    has_ended: z.boolean(),
    flow_run_id: z.uuid(),
    is_owner: z.boolean(),
    owner_id: z.uuid(),
    caller: z.uuid(),
    is_guest: z.boolean(),
    is_overdue: z.boolean(),
  }),
  FlowRunStats: z.strictObject({
    since: z.iso.datetime({ offset: true }),
    is_complete: z.boolean(),
    runs: z.int().min(0),
    by_status: z.strictObject({
      queued: z.int().min(0),
      running: z.int().min(0),
      waiting: z.int().min(0),
      succeeded: z.int().min(0),
      failed: z.int().min(0),
      stopped: z.int().min(0),
    }),
    duration_ms: z.strictObject({ p50: z.number().nullable(), p95: z.number().nullable() }),
    failures: z.array(z.strictObject({ code: z.string().nullable(), count: z.int().min(1) })).max(20),
    usage: z.record(
      z.string(),
      z.strictObject({ requests: z.int().min(0), input_tokens: z.int().min(0), output_tokens: z.int().min(0) }),
    ),
  }),
  FoundFlowRuns: z.strictObject({
    runs: z.array(z.strictObject({
      id: z.uuid(),
      flow_id: z.int(),
      deployment_id: z.uuid().nullable(),
      schedule_id: z.uuid().nullable(),
      webhook_id: z.uuid().nullable(),
      row_start_id: z.uuid().nullable(),
      status: runStatusSchema,
      user_id: z.uuid(),
      started_by: z.uuid().nullable(),
      started_by_public_key: z.string().nullable(),
      started_by_run_id: z.uuid().nullable(),
      created_at: z.iso.datetime({ offset: true }),
      start_time: z.iso.datetime({ offset: true }).nullable(),
      end_time: z.iso.datetime({ offset: true }).nullable(),
      starter: starterSchema,
      first_error: z.string().nullable(),
      flow_name: z.string().nullable(),
      started_by_email: z.string().nullable(),
    })),
    is_complete: z.boolean(),
  }),
  FlowRunOverview: z.strictObject({
    since: z.iso.datetime({ offset: true }),
    until: z.iso.datetime({ offset: true }),
    runs: z.int().min(0),
    is_complete: z.boolean(),
    by_status: z.partialRecord(runStatusSchema, z.int().min(1)),
    parts: z.array(z.strictObject({ part: z.int().min(0).max(23), status: runStatusSchema, count: z.int().min(1) })),
    durations: z.array(z.strictObject({
      id: z.uuid(),
      status: runStatusSchema,
      created_at: z.iso.datetime({ offset: true }),
      ms: z.number(),
    })),
    duration_ms: z.strictObject({ p50: z.number().nullable(), p95: z.number().nullable() }),
    failures: z.array(z.strictObject({
      node_id: z.uuid().nullable(),
      node: z.string().nullable(),
      code: z.string().nullable(),
      message: z.string(),
      count: z.int().min(1),
      last_id: z.uuid(),
    })).max(20),
  }),
  RedrivenFlowRun: z.strictObject({
    flow_run_id: z.uuid(),
    redriven_as: z.uuid().nullable(),
    error: z.strictObject({
      code: z.string(),
      message: z.string(),
      details: z.unknown(),
      hint: z.string().nullable(),
    }).nullable(),
  }),
  StartFlowResult: z.strictObject({
    flow_run_id: z.uuid(),
    token: tokenSchema,
    warnings: warningsSchema,
    ...endedRunSchemas,
  }) satisfies z.ZodType<StartFlowResult>,
  StartResult: z.strictObject({ flow_run_id: z.uuid(), token: tokenSchema, ...endedRunSchemas }) satisfies z.ZodType<
    StartResult
  >,
  RunPending: z.strictObject({ status: runStatusSchema.extract(['queued', 'running', 'waiting']) }),
  FlowRunWait: z.strictObject({
    state: z.enum(['blocked', 'sleeping']),
    due_at: timeSchema.nullable(),
    queue_key: z.string().nullable(),
  }),
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
  AnswerInputResult: z.strictObject({ success: z.literal(true) }) satisfies z.ZodType<AnswerInputResult>,
  PendingSignatureRequest: z.strictObject({
    id: requestIdSchema,
    kind: z.enum(['transaction_message', 'message']),
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
    id: requestIdSchema,
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
  ReadDocument: z.strictObject({ text: z.string() }) satisfies z.ZodType<ReadDocument>,
  ServerTools: z.strictObject({
    url: z.string(),
    server: z.strictObject({ name: z.string(), title: z.string().optional(), version: z.string() }).nullable(),
    discover: z.strictObject({ supportedVersions: z.array(z.string()) }).nullable(),
    tools: z.array(z.unknown()),
  }) satisfies z.ZodType<ServerTools>,
  TestedConnection: z.strictObject({ status: z.int().min(100).max(999) }) satisfies z.ZodType<TestedConnection>,
  Connection: z.strictObject({
    id: z.uuid(),
    user_id: z.uuid(),
    name: z.string(),
    kind: z.enum(['bearer', 'basic', 'header', 'query', 'oauth2_client_credentials', 'oauth2_refresh_token']),
    hosts: z.array(z.string()),
    header: z.string().nullable(),
    parameter: z.string().nullable(),
    created_at: timeSchema,
    updated_at: timeSchema,
    last_used_at: timeSchema.nullable(),
    last_tested_at: timeSchema.nullable(),
    last_test_status: z.int().min(100).max(999).nullable(),
  }) satisfies z.ZodType<Connection>,
  Caller: z.strictObject({ user_id: z.uuid(), is_anonymous: z.boolean() }),
  NewApiKey: z.strictObject({
    id: z.uuid(),
    user_id: z.uuid(),
    name: z.string(),
    prefix: z.string().regex(/^fk_[A-Za-z0-9_-]{7}$/),
    created_at: timeSchema,
    key: z.string().regex(/^fk_[A-Za-z0-9_-]{43}$/),
  }) satisfies z.ZodType<NewApiKey>,
  CreateApiKeyResult: z.strictObject({
    created_at: timeSchema,
    key_hash: z.uuid(),
    name: z.string(),
    trimmed_key: z.string().regex(/^fk_[A-Za-z0-9_-]{7}$/),
    user_id: z.uuid(),
    full_key: z.string().regex(/^fk_[A-Za-z0-9_-]{43}$/),
  }) satisfies z.ZodType<CreateApiKeyResult>,
  ApiKeyInfo: z.strictObject({ user_id: z.uuid() }) satisfies z.ZodType<ApiKeyInfo>,
  ProjectInfo: z.strictObject({
    supabase_url: z.string(),
    anon_key: z.string(),
    base_url: z.string(),
  }) satisfies z.ZodType<ProjectInfo>,
  HealthcheckResult: z.strictObject({ success: z.literal(true) }) satisfies z.ZodType<HealthcheckResult>,
  KvStoreResult: z.strictObject({ success: z.literal(true) }) satisfies z.ZodType<KvStoreResult>,
  WriteKvItemResult: z.strictObject({ old_value: anyValueSchema.optional() }),
  ReadKvItemResult: z.strictObject({ value: anyValueSchema }) satisfies z.ZodType<ReadKvItemResult>,
  DeleteKvItemResult: z.strictObject({ old_value: anyValueSchema }) satisfies z.ZodType<DeleteKvItemResult>,
  ReceivedWebhook: z.strictObject({ flow_run_id: z.uuid() }) satisfies z.ZodType<ReceivedWebhook>,
  Webhook: webhookSchema,
  NewWebhook: webhookSchema.extend({ url: z.string().regex(/\/deployment\/hook\/fh_[A-Za-z0-9_-]{43}$/) }),
  Schedule: scheduleSchema.partial(),
  ActionGetResult: z.strictObject({
    type: z.literal('action'),
    ...actionView,
    links: z.strictObject({ actions: z.array(linkedActionSchema).length(1) }).optional(),
  }) satisfies z.ZodType<ActionGetResult>,
  ActionPostResult: z.strictObject({
    type: z.literal('transaction'),
    transaction: base64Schema,
    message: z.string().max(500).optional(),
    links: z.strictObject({ next: z.strictObject({ type: z.literal('post'), href: z.string() }) }),
  }) satisfies z.ZodType<ActionPostResult>,
  CompletedAction: z.strictObject({ type: z.literal('completed'), ...actionView }) satisfies z.ZodType<CompletedAction>,
  ActionsJson: z.strictObject({
    rules: z.array(z.strictObject({ pathPattern: z.string(), apiPath: z.string() })),
  }) satisfies z.ZodType<ActionsJson>,
  Fault: z.strictObject({ path: z.string(), message: z.string() }),
  Finding: z.strictObject({
    flow_id: rowIdSchema,
    code: z.enum([
      ...warningCodeSchema.options,
      'flow_too_large',
      'node_malformed',
      'edge_malformed',
      'node_id_duplicate',
      'edge_source_unknown',
      'edge_target_unknown',
      'input_connected_twice',
      'node_edges_too_many',
      'output_label_duplicate',
      'graph_has_cycle',
      'interflow_flow_unknown',
      'error_output_taken',
      'snapshot_too_large',
      'environment_value_invalid',
      'environment_key_pair',
      'environment_wallet_unknown',
    ]),
    path: z.string(),
    message: z.string(),
    node_id: z.uuid().optional(),
    line: z.int().min(1).optional(),
    column: z.int().min(1).optional(),
  }),
  FlowWarning: z.strictObject({
    flow_id: rowIdSchema,
    code: warningCodeSchema,
    path: z.string(),
    message: z.string(),
    node_id: z.uuid().optional(),
    line: z.int().min(1).optional(),
    column: z.int().min(1).optional(),
  }) satisfies z.ZodType<FlowWarning>,
  EndedRun: z.strictObject({ errors: z.array(z.string()).nullable(), output: runOutputSchema.nullable() }),
};

/** Zod schemas with a name in the document. */
const references = new Map<z.ZodType, string>([
  [valueMapSchema, 'ValueMap'],
  [valueSchema, 'Value'],
  [anyValueSchema, 'Value'],
  [inputsSchema, 'ValueMap'],
  [runOutputSchema, 'Output'],
  [warningSchema, 'FlowWarning'],
  [pendingRequestSchema, 'PendingSignatureRequest'],
]);

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override: ({ zodSchema, jsonSchema }) => {
      // SAFETY: this is the same schema under the type name of zod's core.
      const name = references.get(zodSchema as unknown as z.ZodType);
      if (name !== undefined) Object.assign(jsonSchema, ref(name));
    },
  });
  return json as JsonSchema;
}

/** Makes the JSON Schema of a zod schema's input. */
export const input = (schema: z.ZodType): JsonSchema => toJsonSchema(schema, 'input');

/** Makes the JSON Schema of a zod schema's output. */
export const output = (schema: z.ZodType): JsonSchema => toJsonSchema(schema, 'output');
