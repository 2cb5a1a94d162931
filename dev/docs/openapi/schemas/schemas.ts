import { z } from 'zod';
import { actionPostParamsSchema, sentActionParamsSchema } from '../../../../types/action.ts';
import { createApiKeyParamsSchema, deleteApiKeyParamsSchema } from '../../../../types/api_key.ts';
import { kvItemParamsSchema, kvStoreParamsSchema, writeKvItemParamsSchema } from '../../../../types/kv_store.ts';
import {
  deployFlowParamsSchema,
  deploymentTargetSchema,
  startDeploymentParamsSchema,
  startFlowParamsSchema,
  warningCodes,
} from '../../../../types/deployment.ts';
import { DEFAULT_WAIT_SECONDS, redriveParamsSchema, stopFlowParamsSchema } from '../../../../types/flow_run.ts';
import { deploymentLimits } from '../../../../types/limits/deployments.ts';
import { submitSignatureParamsSchema } from '../../../../types/signature_request.ts';
import { readDocumentParamsSchema } from '../../../../types/described/document.ts';
import { testConnectionParamsSchema, upsertConnectionParamsSchema } from '../../../../types/connection.ts';
import { upsertWalletParamsSchema } from '../../../../types/wallet.ts';
import { annotate, type JsonSchema, ref, titled } from './json_schema.ts';
import { nodeDefinition, nodeRow } from './node_schema.ts';
import { BASE58, outputSchema, STORABLE, valueMapSchema, valueSchema } from './value_schema.ts';
import { answerSchemas, argumentSchemas, input, messageSchema, newScheduleSchema, output } from './zod_schemas.ts';

const base58 = (bytes: 32 | 64, description: string): JsonSchema => ({
  description: `${description} Base58 of exactly ${bytes} bytes.`,
  pattern: bytes === 32 ? `^${BASE58}{32,44}$` : `^${BASE58}{64,88}$`,
});

const startNotes = {
  inputs:
    "The flow's inputs by label. A missing input takes the flow's default, or null if there is none. An unknown input is refused.",
  values:
    'Inputs by label as readable JSON. Each input is converted by the types that `GET /deployment/read` returns for it, and must match its `json_schema`. Numbers ' +
    'keep all their digits. Keys are base58 texts. The holders of wallets are asked to sign. An input may be here or in `inputs`, but not in both.',
  action_signer: base58(
    32,
    'The public key of the wallet that signs and sends the transaction. The run finds the transaction by the memo of `action_identity`. It has ' +
      'no effect without an action identity, or with `output_instructions`.',
  ),
  priority: {
    description:
      "Seconds, only for the owner: among the owner's waiting runs, the run has the place of a run that was queued so much earlier, or later if the number is negative.",
    minimum: -deploymentLimits.priority_seconds.value,
    maximum: deploymentLimits.priority_seconds.value,
  },
};
const flowStartNotes = {
  ...startNotes,
  partial_config:
    'Runs only the nodes of `only_nodes`. An edge from another node carries the outputs of that node from an earlier run: the run that `values_config.nodes` names for ' +
    'the node, or else `default_run_id`. In loops, it carries the outputs of the same index. `values_config.inline` has tagged values by node and port, which replace ' +
    'values of those runs. They are inputs of a node that runs, or outputs of another node. A node that lacks a value that it needs fails with `value_missing`.',
  environment:
    "Settings of the run for the names that the flow's own environment does not define. Called flows keep their own settings.",
  output_instructions: 'The run outputs its first transaction as a value, and does not send it.',
};
const settingsFromNote =
  'A tag or the id of a deployment of the flow. The new deployment takes over all its settings. Without it, the settings are those of the flow and the defaults.';
const repeatEffectsNote =
  'Nodes that may have their effects again, although they succeeded in the earlier run with other inputs. Each is named by its flow and its id, so nodes of called flows can be named.';
const stopNotes = {
  timeout_millies: 'Milliseconds that running nodes have to end by themselves; 0 by default.',
  reason: { description: 'Text for the errors of the cancelled nodes.', pattern: STORABLE },
};
const strictNote = 'Refuses a flow with warnings.';
const warningsNote =
  'The first 100 warnings. They name parts of the flow at which a run would fail, or which a run would ignore.';
const idempotencyNote =
  'Like the header Idempotency-Key of the routes: the same request within 24 hours returns the same run.';

const upsertWalletParams: JsonSchema = {
  ...annotate(input(upsertWalletParamsSchema), {
    type:
      'HARDCODED: the server stores the secret key encrypted and signs with it. ADAPTER: the run asks the holder of the key to sign.',
    user_id: "The caller's own id; optional. Any other id is answered with a 404.",
    name: { maxLength: 200, pattern: STORABLE },
    public_key: base58(32, 'The key that identifies the wallet: a second upsert with the same key changes the wallet.'),
    keypair: base58(
      64,
      'The 32 bytes of the secret key, then the public key. If it is left out, a HARDCODED wallet keeps its stored key. An ADAPTER wallet must have no key pair.',
    ),
  }),
  dependentSchemas: { keypair: { properties: { type: { const: 'HARDCODED' } } } },
};

const newMsgNote =
  'Base64 of the message that the wallet signed, if the wallet changed the message of the request. The fee payer may change and add ' +
  'instructions of the compute budget, and nothing else.';

const submitSignatureParams: JsonSchema = annotate(input(submitSignatureParamsSchema), {
  id: 'The signature request.',
  signature: base58(64, 'The signature of the requested key over the message.'),
  new_msg: { description: newMsgNote, ...input(messageSchema) },
});

/**
 * This schema is written by hand, because it requires exactly one of two members, and one of them is a tagged value.
 */
const submitInputParams: JsonSchema = {
  type: 'object',
  properties: {
    value: { description: 'The value, with its tag.', ...ref('Value') },
    values: {
      description:
        'The value as readable JSON. Integers become U or I, other numbers D or F, with all their digits. Objects become M, arrays A, and texts S.',
    },
  },
  oneOf: [{ required: ['value'] }, { required: ['values'] }],
  additionalProperties: false,
};

const runFilterNotes = {
  search:
    'Finds runs whose errors contain this text, in any case. Also finds runs whose id begins with this text, and runs whose ' +
    'starter has an id or public key that begins with it. Inputs and outputs are not searched.',
  starter: 'The kind of starter: `flow` is a node of another run, `key` a caller with a public key.',
  since: 'Only runs from this time on.',
  until: 'Only runs before this time.',
};
const verificationNotes = {
  verification:
    'The verification of senders. `standard_webhooks`: the header `webhook-signature`, at most 5 minutes old. `stripe`: the header `Stripe-Signature`, at most 5 minutes old. ' +
    '`github`: the header `X-Hub-Signature-256`. `hmac`: the header that `hmac` names has an HMAC of the body. `authorization`: the header Authorization has a fixed value, as Helius sends it. Without a verification, anybody who has the URL may send requests.',
  secret: {
    description:
      'For `standard_webhooks`: whsec_ and the base64 of 24 to 64 bytes. For `authorization`: the whole value of the header. ' +
      'No answer contains the secret. If a verification has no secret, every request is refused.',
    pattern: STORABLE,
  },
  hmac:
    'For the `verification` `hmac`: the header of the signature, and its format, by default sha256 in hex without a prefix. ' +
    '`id_header` is the header with the id of a delivery, if there is one.',
};
const webhookInputNotes = {
  whole_request:
    'If true, the input gets `{body, headers, query, method}`, with all headers but those of credentials and signatures. `headers` must then be empty.',
  respond:
    'If true, a request waits up to 100 s for the run, and gets its output as the answer: see `POST /deployment/hook/{token}`.',
};
const webhookNotes = {
  ...webhookInputNotes,
  prefix: 'The first characters of the token in the URL, by which the owner recognises the webhook.',
  last_start_at: 'The time at which the webhook last started a run.',
  last_flow_run_id: 'The run that was started at that time.',
  last_error: 'The reason why the last request started no run, `<code>: <message>`; null if it started a run.',
};
const scheduleNotes = {
  cron: 'Minute, hour, day of month, month, day of week: numbers, ranges, lists, steps, names such as MON, and `*`.',
  time_zone: 'The IANA time zone of the cron text, such as Europe/Berlin; UTC by default.',
  policy:
    'The policy for planned times that were missed. `catch_up_one`, the default: one late start for all of them. `skip`: no start.',
};

const storeNote = {
  description: 'The name of the store: 1 to 120 letters, digits, `_` and `-`, beginning with a letter.',
  pattern: '^[A-Za-z][A-Za-z0-9_-]{0,119}$',
};
const keyNote = {
  description: 'The key of the item, of 1 to 1,024 bytes.',
  minLength: 1,
  maxLength: 1_024,
  pattern: STORABLE,
};

const nullableText: JsonSchema = { type: ['string', 'null'] };

/**
 * Makes the schema of an error's body. The codes are listed elsewhere, in the schema of each answer. `added` has the
 * schemas of further members, for an interface whose errors have more members than these four.
 */
const error = (description: string, details: JsonSchema, added: Record<string, JsonSchema> = {}): JsonSchema => ({
  description,
  type: 'object',
  properties: {
    code: { type: 'string', description: 'The stable part, for programs.' },
    message: { type: 'string', description: 'For people.' },
    details,
    hint: { ...nullableText, description: 'Advice for the caller.' },
    ...added,
  },
  required: ['code', 'message', 'details', 'hint', ...Object.keys(added)],
  additionalProperties: false,
});

/** `components.schemas` of the document. */
export const componentSchemas: Record<string, JsonSchema> = {
  Value: valueSchema,
  ValueMap: valueMapSchema,
  Output: outputSchema,

  NoParams: titled('An empty object.', input(argumentSchemas.whoami)),
  DeployFlowParams: annotate(input(deployFlowParamsSchema), { settings_from: settingsFromNote }),
  StartDeploymentParams: annotate(input(startDeploymentParamsSchema), startNotes),
  StartFlowParams: annotate(input(startFlowParamsSchema), flowStartNotes),
  StopFlowParams: annotate(input(stopFlowParamsSchema), stopNotes),
  RedriveParams: annotate(input(redriveParamsSchema), { repeat_effects: repeatEffectsNote }),
  ActionPostParams: annotate(input(actionPostParamsSchema), {
    account: base58(32, 'The public key of the wallet that has to sign.'),
    data: 'Parameters by name, as texts; a list for several choices.',
  }),
  SentActionParams: annotate(input(sentActionParamsSchema), {
    account: base58(32, 'The public key of the wallet.'),
    signature: base58(64, 'The signature of the transaction, which the wallet got when it sent it.'),
  }),
  UpsertWalletParams: upsertWalletParams,
  UpsertConnectionParams: input(upsertConnectionParamsSchema),
  TestConnectionParams: input(testConnectionParamsSchema),
  ReadDocumentParams: input(readDocumentParamsSchema),
  SubmitSignatureParams: submitSignatureParams,
  SubmitInputParams: submitInputParams,
  NodeDefinition: nodeDefinition(),

  StartDeploymentArguments: annotate(input(argumentSchemas.start_deployment), {
    id: 'The deployment. Without it, `flow` is needed.',
    flow: 'The flow whose deployment `tag` names. Without it, `id` is needed.',
    tag: 'With `flow`: the tag of the deployment to start, by default `latest`.',
    ...startNotes,
    public_key: base58(32, 'The public key of a caller without an account. It names the caller and proves nothing.'),
    idempotency_key: `${idempotencyNote} With a public key only, 22 characters at least.`,
  }),
  StartFlowArguments: annotate(input(argumentSchemas.start_flow), {
    ...flowStartNotes,
    idempotency_key: idempotencyNote,
    strict: strictNote,
  }),
  ReadDeploymentArguments: annotate(input(argumentSchemas.read_deployment), {
    id: 'The deployment. Without it, `flow` is needed.',
    flow: 'The flow whose deployment `tag` names. Without it, `id` is needed.',
    tag: 'With `flow`: the tag of the deployment, by default `latest`.',
    public_key: base58(32, 'The public key of a caller without an account. It names the caller and proves nothing.'),
  }),
  ListToolsArguments: annotate(input(argumentSchemas.list_tools), {
    id: 'The deployment that is the only tool. Without it and without `flow`, the tools are those of the caller.',
    flow: 'The flow whose deployment `tag` names.',
    tag: 'With `flow`: the tag of the deployment, by default `latest`.',
    public_key: base58(32, 'The public key of a caller without an account. It names the caller and proves nothing.'),
    tool_name: "Of the caller's tools, only the one with this name.",
    after_flow: 'The `next` of the page before.',
  }),
  ToolRunArguments: annotate(input(argumentSchemas.tool_run), {
    deployment_id: 'A deployment of the flow whose run it is.',
    public_key: base58(32, 'The public key with which the run was started, if no user has started it.'),
  }),
  DeploymentGraphArguments: input(argumentSchemas.deployment_graph),
  FlowHasChangedArguments: input(argumentSchemas.flow_has_changed),
  ReadFlowScriptsArguments: input(argumentSchemas.read_flow_scripts),
  CheckFlowArguments: annotate(input(argumentSchemas.check_flow), {
    'flow/id': 'The id of the flow, if it is saved. The flow may call itself by this id.',
  }),
  InputAnswererArguments: annotate(input(argumentSchemas.input_answerer), {
    token: 'The token at the end of the URL of the input.',
  }),
  FlowHistoryArguments: input(argumentSchemas.flow_history),
  KeepFlowVersionArguments: annotate(input(argumentSchemas.keep_flow_version), {
    name: 'A version without a name is deleted when the flow has too many versions.',
  }),
  RestoreFlowVersionArguments: annotate(input(argumentSchemas.restore_flow_version), {
    updated_at:
      'The time of the last change of the flow that the caller knows. If the flow has changed since, the answer is 409.',
  }),
  DeployFlowArguments: annotate(input(argumentSchemas.deploy_flow), {
    strict: strictNote,
    as_of:
      'The times of the last changes of flows, by id, as `read_flow_scripts` returns them. If a flow has changed since, the answer is 409 `flow_changed`.',
    settings_from: settingsFromNote,
  }),
  CompareDeploySettingsArguments: annotate(input(argumentSchemas.compare_deploy_settings), {
    settings_from: 'A tag or the id of a deployment of the flow.',
  }),
  FlowRunResultArguments: input(argumentSchemas.flow_run_result),
  AwaitFlowRunResultArguments: input(argumentSchemas.await_flow_run_result),
  FlowRunWaitArguments: input(argumentSchemas.flow_run_wait),
  CalledFlowRunsArguments: annotate(input(argumentSchemas.called_flow_runs), {
    flow_run_id: 'The run that was started, or one that it called.',
    after: 'The last id of the page before.',
  }),
  FlowRunEventsArguments: annotate(input(argumentSchemas.flow_run_events), {
    flow_run_id: 'The run that was started, or one that it called.',
    after: '`last` of the page before.',
  }),
  FlowRunStatsArguments: annotate(input(argumentSchemas.flow_run_stats), {
    flow: 'The flow whose runs are counted, with or without a deployment. Give either `flow` or `deployment`.',
    since: 'Default: seven days ago.',
  }),
  FindFlowRunsArguments: annotate(input(argumentSchemas.find_flow_runs), {
    ...runFilterNotes,
    skip: 'The number of newer runs to leave out. Default: 0.',
    take: 'The most runs to return. Default: 25.',
  }),
  FlowRunOverviewArguments: annotate(input(argumentSchemas.flow_run_overview), {
    ...runFilterNotes,
    since: 'Only runs from this time on. Default: one day before `until`.',
    until: 'Only runs before this time. Default: now.',
  }),
  RotateOnEndSecretArguments: input(argumentSchemas.rotate_on_end_secret),
  RedeliverWebhookArguments: annotate(input(argumentSchemas.redeliver_webhook), {
    id: 'The row of `webhook_deliveries`.',
  }),
  RedriveFlowRunArguments: annotate(input(argumentSchemas.redrive_flow_run), {
    flow_run_id: 'The run that failed or was stopped, or one that it called.',
    deployment: 'Another deployment of the flow, whose graph and settings the new run uses.',
    repeat_effects: repeatEffectsNote,
    accept_unknown:
      'Redrive even if failed nodes may have changed something outside. The new run may repeat the change.',
    idempotency_key: idempotencyNote,
  }),
  RedriveFlowRunsArguments: annotate(input(argumentSchemas.redrive_flow_runs), {
    flow: 'The flow whose failed runs are redriven, with or without a deployment. Give either `flow` or `deployment`.',
    since: 'Only runs from this time on. Default: seven days ago.',
    until: 'Only runs before this time.',
    error_code: 'Only runs whose first error has this code, as `flow_run_stats` counts them.',
    accept_unknown:
      'Redrive even if failed nodes may have changed something outside. The new run may repeat the change.',
    max_runs: 'Default: 100.',
    on_deployment: 'A deployment of the flow, whose graph and settings the new runs use.',
  }),
  StopFlowRunArguments: annotate(input(argumentSchemas.stop_flow_run), stopNotes),
  PendingSignatureRequestArguments: input(argumentSchemas.pending_signature_request),
  SignatureRequestForCallerArguments: annotate(input(argumentSchemas.signature_request_for_caller), {
    new_msg: newMsgNote,
  }),
  CreateWebhookArguments: annotate(input(argumentSchemas.create_webhook), {
    input: {
      description:
        'The input that gets the JSON of each request: the body, `{body, headers}` if headers are named, or `{body, headers, query, method}` with `whole_request`. The JSON is converted by the types of the input.',
      pattern: STORABLE,
    },
    flow: 'The flow whose deployment `tag` names. Give either `flow` or `deployment_id`.',
    tag: 'The tag of the deployment that each request starts. Each request looks up the tag. By default `latest`.',
    deployment_id: 'The one deployment that is started.',
    headers:
      'Names of headers, each once. The input then also gets these headers. Headers of credentials, such as Authorization, are refused.',
    ...webhookInputNotes,
    ...verificationNotes,
  }),
  SetWebhookVerificationArguments: annotate(input(argumentSchemas.set_webhook_verification), verificationNotes),
  NewSchedule: annotate(input(newScheduleSchema), {
    flow: 'The flow whose deployment `tag` names. Give either `flow` or `deployment_id`.',
    tag: 'The tag of the deployment that each start starts. Each start looks up the tag. By default `latest`.',
    deployment_id: 'The one deployment that is started.',
    ...scheduleNotes,
    inputs: { description: 'The inputs of each start.' },
    values: {
      description:
        'Further inputs of each start, as plain JSON. Each start converts them by the types of its deployment.',
    },
  }),
  NextCronTimesArguments: annotate(input(argumentSchemas.next_cron_times), {
    cron: scheduleNotes.cron,
    time_zone: scheduleNotes.time_zone,
  }),
  CreateApiKeyParams: annotate(input(createApiKeyParamsSchema), {
    name: { description: 'The name that its owner gives it.', pattern: STORABLE },
  }),
  DeleteApiKeyParams: annotate(input(deleteApiKeyParamsSchema), { key_hash: 'The id of the key.' }),
  DeleteApiKeyArguments: input(argumentSchemas.delete_api_key),
  KvStoreParams: annotate(input(kvStoreParamsSchema), { store: storeNote }),
  KvItemParams: annotate(input(kvItemParamsSchema), { store: storeNote, key: keyNote }),
  WriteKvItemParams: {
    ...annotate(input(writeKvItemParamsSchema), { store: storeNote, key: keyNote }),
    required: ['store', 'key', 'value'],
  },
  CreateApiKeyArguments: annotate(input(argumentSchemas.create_api_key), {
    name: { description: 'The name that its owner gives it.', pattern: STORABLE },
  }),

  ...Object.fromEntries(Object.entries(answerSchemas).map(([name, schema]) => [name, output(schema)])),
  StartResult: annotate(output(answerSchemas.StartResult), {
    token: 'A token whose holder can see this run.',
    status: 'Like `output` and `errors`, present only if the start waited (`Prefer: wait=N`) and the run has ended.',
  }),
  StartFlowResult: annotate(output(answerSchemas.StartFlowResult), {
    token: 'A token whose holder can see this run.',
    status: 'Like `output` and `errors`, present only if the start waited (`Prefer: wait=N`) and the run has ended.',
    warnings: warningsNote,
  }),
  DeployFlowResult: annotate(output(answerSchemas.DeployFlowResult), {
    warnings: warningsNote,
    limits:
      'Only if anybody may start the deployment: the limits of all callers but the owner, and of callers without an account.',
  }),
  DeploymentDescription: annotate(output(answerSchemas.DeploymentDescription), {
    name: "The flow's name when it was deployed, unless the owner has changed it.",
    description: "The flow's description when it was deployed, unless the owner has changed it.",
    icon_url: 'The https address of a picture.',
    fees:
      'A list of `[address, lamports]`: transfers that are added to each transaction of a run until a transaction with them is confirmed.',
    cluster: 'The Solana network of its runs.',
    uses_solana: 'The flow has nodes of Solana, or the deployment has settings for transactions.',
    node_count: 'The nodes that a run executes, without those of called flows.',
    inputs: 'In the order of the nodes in the flow.',
    'inputs/items/name': 'The label: the name of the input in `inputs` and `values` of a start.',
    'inputs/items/description':
      'The help text of the input. Without one, the description of the port that the input feeds; empty if the input feeds no port or several ports.',
    'inputs/items/type_bounds': 'The types that all ports with this value accept, also in called flows.',
    'inputs/items/required':
      'The flow has no default for the input, and a port or the flow itself requires the input. If only a port requires it, a start without it is not refused, but its run may fail.',
    'inputs/items/default':
      "The flow's default, as readable JSON. Null if there is no default, or if the default has more than 4,096 bytes.",
    'inputs/items/json_schema':
      'The JSON Schema of the input in `values`. An input that is not required also accepts null.',
    outputs: 'The outputs of a succeeded run, each with the type of the port that feeds it.',
  }),
  ToolPage: annotate(output(answerSchemas.ToolPage), {
    'tools/items/name': "The flow's `tool_name`, or for a flow without one `flow_` and its id.",
    'tools/items/description': 'The description for assistants; never empty.',
    'tools/items/has_effects': 'False if no node has effects outside of the run or asks a person.',
    'tools/items/inputs': 'As in `GET /deployment/read`.',
    'tools/items/outputs': 'As in `GET /deployment/read`.',
    next: 'The `after_flow` of the next page. Missing on the last page.',
  }),
  ToolRun: annotate(output(answerSchemas.ToolRun), {
    output: 'Null until the run has ended.',
    questions: 'The open inputs of the run and of its called runs. One that the caller may not answer has only its id.',
    'questions/items/url': 'The address for the answer.',
  }),
  InputAnswerer: annotate(output(answerSchemas.InputAnswerer), {
    user_id: 'The user. Null for a caller who is not a user.',
    run_id: 'The run whose token the request has.',
  }),
  ComparedSetting: annotate(output(answerSchemas.ComparedSetting), {
    kept: 'The value in a deploy with `settings_from`.',
    otherwise: 'The value in a deploy without it.',
  }),
  FlowRunWait: annotate(output(answerSchemas.FlowRunWait), {
    state: 'blocked: the run waits for a place of its key. sleeping: it waits until `due_at`.',
    queue_key: 'The setting of the deployment: `caller`, the name of an input, or null.',
  }),
  FlowScripts: annotate(output(answerSchemas.FlowScripts), {
    as_of: 'The time of the last change of each flow that was read, by id. Pass it to `deploy_flow`.',
    scripts: 'The scripts in form data, in the order of the nodes. `source` is null where a script node has none.',
    scripts_left_out: 'The number of scripts that were not parsed, because they are too long or too many.',
    flows_left_out: 'The number of called flows that were not read: all but the first 1,000.',
  }),
  DeploymentGraph: annotate(output(answerSchemas.DeploymentGraph), {
    flows: 'The flow itself and every flow that it calls, by id.',
  }),
  FlowProblems: annotate(output(answerSchemas.FlowProblems), {
    'problems/items/severity':
      'prevents_deploy: a deploy is refused. fails_run: a deploy only warns, but a run fails when it comes to the node. note: a branch decides, as the author probably wants.',
    'problems/items/flow_id': 'The called flow that has the problem. Missing for the flow itself.',
    'problems/items/port': 'With `input_missing`: the input.',
    is_complete: 'Whether all called flows were checked. At most 1 MiB of called flows is checked.',
  }),
  FlowHistory: annotate(output(answerSchemas.FlowHistory), {
    'items/saved_at': 'The time when the flow was saved with these contents.',
    'items/bytes': 'The size that counts in the quota `flow_bytes`.',
    'items/is_current': 'Whether the saved flow has these contents.',
    'items/deployment_id': 'The newest deployment of these contents.',
    'items/tags': 'The tags of all deployments of these contents.',
  }),
  RestoredFlowVersion: annotate(output(answerSchemas.RestoredFlowVersion), {
    kept_version_id: 'The version with the contents that the flow had before.',
  }),
  OnEndSecret: annotate(output(answerSchemas.OnEndSecret), {
    secret: 'The secret in the form that libraries of Standard Webhooks take.',
  }),
  RunEventPage: annotate(output(answerSchemas.RunEventPage), {
    events: 'In the order in which they were stored.',
    'events/items/id': 'The number of the event among those of the run.',
    'events/items/data':
      'All events have `flow_run_id`, `called_by` (null for the started run, otherwise the node execution that called the run) and `time`. Events of nodes also have `node_id`, `times` and `name`. Further members depend on the event.',
    last: 'The event after which the next page begins.',
    has_ended: 'There will be no event after `last`.',
    flow_run_id: 'The run that was started.',
    is_owner: 'Whether the caller owns the flow, and so sees values, errors and log lines.',
    caller: 'The calling user, or the run whose token the caller shows.',
    is_guest: 'Whether the caller has no account.',
    is_overdue: 'Whether the run has waited for a worker for 2 seconds.',
  }),
  FlowRunStats: annotate(output(answerSchemas.FlowRunStats), {
    since: 'The time from which runs were counted.',
    is_complete:
      'Whether all runs since the requested time were counted. If false, only the newest 5,000 were counted.',
    duration_ms: 'The time from the start to the end, in milliseconds, of runs that have both; null if no run has.',
    failures: 'The most frequent codes of first errors; null stands for errors without a code.',
    usage: 'The calls of models of the counted runs, by model.',
  }),
  FoundFlowRuns: annotate(output(answerSchemas.FoundFlowRuns), {
    is_complete: 'Whether all runs of the filter were looked at. If false, find older runs with `until`.',
  }),
  FlowRunOverview: annotate(output(answerSchemas.FlowRunOverview), {
    is_complete: 'Whether all runs were counted. If false, only the newest 5,000 were counted.',
    by_status: 'A status without runs is left out.',
    parts: 'The counts in 24 equal parts of the time.',
    durations: 'The newest 500 ended runs, with the time from the start to the end in milliseconds.',
    failures: 'The most frequent first errors of failed runs, by node and text. `last_id` is the newest of these runs.',
  }),
  RedrivenFlowRun: annotate(output(answerSchemas.RedrivenFlowRun), {
    redriven_as: 'The new run; null if there is none.',
    error: 'The reason why there is no new run: the error that `POST /flow/redrive/{flow_run_id}` would answer.',
  }),
  FlowWarning: annotate(output(answerSchemas.FlowWarning), {
    flow_id: 'The flow, or one that it calls.',
    code: Object.entries(warningCodes).map(([code, meaning]) => `\`${code}\`: ${meaning}`).join(' '),
    path: 'The path in the flow, such as `edges[3].targetHandle`.',
    node_id:
      'For `script_invalid` and `answer_schema_invalid`: the node. For `expression_invalid`: the target of the edge.',
    line: 'For `script_invalid`: the line of its script.',
    column: 'For `script_invalid`: the column in this line.',
  }),
  PendingSignatureRequest: annotate(output(answerSchemas.PendingSignatureRequest), {
    id: 'Random, below 2^53.',
    kind:
      'The kind of `message`: `transaction_message` for the message of a transaction, `message` for any other message, which may not be changed. No node asks for a `message` yet.',
    time: 'The time of the request, in milliseconds since 1970.',
    pubkey: 'The key that must sign.',
    message:
      'The bytes to sign, in base64. For a transaction, these are the serialized v0 message, without the signatures.',
    timeout:
      'The number of seconds after `time` in which the request can be answered. The transaction is valid for about a minute; after that the run fails.',
    flow_run_id: 'The run that asks: the started run, or one that it called.',
    signatures: 'Signatures that are known already.',
  }),
  SignatureRequestState: annotate(output(answerSchemas.SignatureRequestState), {
    signature: 'The accepted answer; null if there is none.',
    new_msg: 'The message that was signed instead of the message of the request.',
    expires_at: 'The time until which the request could be answered.',
    run_status: 'The status of the started run.',
  }),
  CalledFlowRun: annotate(output(answerSchemas.CalledFlowRun), {
    end_time: 'Null while the run is executed.',
    parent_flow_run_id: 'The run that called it.',
    parent_node_id: 'The node that called it, with parent_times.',
    parent_times: 'The number of the execution of that node; 0 for the first.',
  }),
  ActionGetResult: annotate(output(answerSchemas.ActionGetResult), {
    icon: 'An absolute address.',
    disabled: "The action can't be done; `error` says why.",
    'links/actions/items/href': 'The address for the POST, with `{name}` for each parameter.',
  }),
  ActionPostResult: annotate(output(answerSchemas.ActionPostResult), {
    transaction:
      'Base64 of the transaction, in which only the signature of `account` is missing. Its message is of version 0 if somebody has signed or a lookup table is used, and legacy otherwise.',
    message: "The flow's output `message`, 500 characters at most.",
    'links/next/href': 'The address for posting `{account, signature}` after the transaction was sent.',
  }),
  Webhook: annotate(output(answerSchemas.Webhook), webhookNotes),
  NewWebhook: annotate(output(answerSchemas.NewWebhook), {
    ...webhookNotes,
    url: 'The address for requests. No later answer contains it.',
  }),
  Schedule: annotate(output(answerSchemas.Schedule), {
    ...scheduleNotes,
    next_start_at: 'The next planned time; null while the schedule is not active.',
    last_start_at: 'When it last started a run.',
    last_flow_run_id: 'The run that it started last.',
    last_error: 'The reason why the last planned time started no run, `<code>: <message>`; null if it started a run.',
  }),
  NewApiKey: annotate(output(answerSchemas.NewApiKey), {
    prefix: 'The first characters of the key, by which its owner recognises it.',
    key: 'The key. No later answer contains it.',
  }),
  Fault: annotate(output(answerSchemas.Fault), { path: 'The path of the fault, such as `inputs.amount.U`.' }),
  Finding: annotate(output(answerSchemas.Finding), { path: 'The path in the flow, such as `edges[3].source`.' }),
  Node: nodeRow(),

  Error: error(
    'Every error of /functions/v1.',
    { description: 'More data than the message has; its form depends on the code.' },
    {
      error: { type: 'string', description: 'The message again.' },
    },
  ),
  RestError: error('Every error of /rest/v1, of this project and of PostgREST.', {
    ...nullableText,
    description: 'More data than the message has. For codes of this project, it is JSON as a text.',
  }),
  GatewayError: {
    description: "The gateway's refusal of a request without the project's key.",
    type: 'object',
    properties: { message: { type: 'string' }, hint: { type: 'string' } },
    required: ['message'],
    additionalProperties: false,
  },
};

/**
 * The schemas of parameters. They are written by hand, because zod parses the digits of paths and queries as text,
 * while the document describes numbers. Tests show that these schemas agree with the zod schemas.
 */
export const parameterSchemas = {
  flowId: { type: 'integer', minimum: 0, maximum: 2_147_483_647 },
  wait: { type: 'number', minimum: 0, maximum: 999_999_999, default: DEFAULT_WAIT_SECONDS },
  uuid: output(z.uuid()),
  eventId: { type: 'integer', minimum: 0, maximum: 2_147_483_647 },
  tag: input(deploymentTargetSchema.shape.tag.unwrap()),
} satisfies Record<string, JsonSchema>;
