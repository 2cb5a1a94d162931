import { z } from 'zod';
import { startDeploymentParamsSchema, startTargetSchema, warningCodes } from '../../../types/deployment.ts';
import { DEFAULT_WAIT_SECONDS, stopFlowParamsSchema } from '../../../types/flow_run.ts';
import { submitSignatureParamsSchema } from '../../../types/signature_request.ts';
import { upsertWalletParamsSchema } from '../../../types/wallet.ts';
import { annotate, type JsonSchema, titled } from './json_schema.ts';
import { nodeDefinition, nodeRow } from './node_schema.ts';
import { BASE58, outputSchema, STORABLE, valueMapSchema, valueSchema } from './value_schema.ts';
import { answerSchemas, argumentSchemas, input, messageSchema, output } from './zod_schemas.ts';

const base58 = (bytes: 32 | 64, description: string): JsonSchema => ({
  description: `${description} Base58 of exactly ${bytes} bytes.`,
  pattern: bytes === 32 ? `^${BASE58}{32,44}$` : `^${BASE58}{64,88}$`,
});

const startNotes = {
  inputs:
    "The flow's inputs by label. A missing one takes the default that the flow gives it, else null; one that the flow does not have is refused.",
  action_signer: base58(
    32,
    'Public key whose holder signs and sends the transaction. The run finds the transaction by the memo of `action_identity`. It has ' +
      'no effect without an action identity, or with `output_instructions`.',
  ),
};
const stopNotes = {
  timeout_millies: 'Milliseconds that running nodes have to end by themselves; 0 by default.',
  reason: { description: 'Goes into the error of the nodes that are cancelled.', pattern: STORABLE },
};
const strictNote = 'Refuses the flow for what would otherwise be a warning.';
const warningsNote = 'What a run would fail at or leave out: the first 100 warnings.';
const idempotencyNote =
  'Like the header Idempotency-Key of the routes: the same request within 24 hours gives the same run.';

const upsertWalletParams: JsonSchema = {
  ...annotate(input(upsertWalletParamsSchema), {
    type:
      'HARDCODED: the server keeps the secret key, encrypted, and signs with it. ADAPTER: the holder of the key is asked to sign.',
    user_id: "The caller's own id; may be left out. Any other id is answered with a 404.",
    name: { maxLength: 200, pattern: STORABLE },
    public_key: base58(32, 'Names the wallet: a second upsert of the same key changes the first.'),
    keypair: base58(
      64,
      'The 32 bytes of the secret key, then the public key. When it is left out, a HARDCODED wallet keeps the stored one. An ADAPTER wallet must have none.',
    ),
  }),
  dependentSchemas: { keypair: { properties: { type: { const: 'HARDCODED' } } } },
};

const newMsgNote =
  "Base64 of the message that was signed instead of the request's, where the wallet changed it: the fee payer may change and add " +
  'instructions of the compute budget, and nothing else.';

const submitSignatureParams: JsonSchema = annotate(input(submitSignatureParamsSchema), {
  id: 'The signature request.',
  signature: base58(64, 'The signature of the requested key over the message.'),
  new_msg: { description: newMsgNote, ...input(messageSchema) },
});

const nullableText: JsonSchema = { type: ['string', 'null'] };

/** The body of every error; each answer says which codes it has. */
const error = (description: string, details: JsonSchema): JsonSchema => ({
  description,
  type: 'object',
  properties: {
    code: { type: 'string', description: 'Stable: programs should look at it.' },
    message: { type: 'string', description: 'For people.' },
    details,
    hint: { ...nullableText, description: 'What to do about it.' },
  },
  required: ['code', 'message', 'details', 'hint'],
  additionalProperties: false,
});

/** `components.schemas` of the document. */
export const componentSchemas: Record<string, JsonSchema> = {
  Value: valueSchema,
  ValueMap: valueMapSchema,
  Output: outputSchema,

  NoParams: titled('An empty object.', input(argumentSchemas.whoami)),
  StartDeploymentParams: annotate(input(startDeploymentParamsSchema), startNotes),
  StopFlowParams: annotate(input(stopFlowParamsSchema), stopNotes),
  UpsertWalletParams: upsertWalletParams,
  SubmitSignatureParams: submitSignatureParams,
  NodeDefinition: nodeDefinition(),

  StartDeploymentArguments: annotate(input(argumentSchemas.start_deployment), {
    id: 'The deployment. Without it, `flow` is needed.',
    flow: 'The flow whose deployment `tag` names. Without it, `id` is needed.',
    tag: 'With `flow`: the tag of the deployment to start, by default `latest`.',
    ...startNotes,
    public_key: base58(32, 'What a caller without an account shows. It names the caller and proves nothing.'),
    idempotency_key: `${idempotencyNote} With a public key only, 22 characters at least.`,
  }),
  StartFlowArguments: annotate(input(argumentSchemas.start_flow), {
    ...startNotes,
    idempotency_key: idempotencyNote,
    strict: strictNote,
  }),
  DeployFlowArguments: annotate(input(argumentSchemas.deploy_flow), { strict: strictNote }),
  FlowRunResultArguments: input(argumentSchemas.flow_run_result),
  AwaitFlowRunResultArguments: input(argumentSchemas.await_flow_run_result),
  CalledFlowRunsArguments: annotate(input(argumentSchemas.called_flow_runs), {
    flow_run_id: 'The run that was started, or one that it called.',
    after: 'The last id of the page before.',
  }),
  StopFlowRunArguments: annotate(input(argumentSchemas.stop_flow_run), stopNotes),
  PendingSignatureRequestArguments: input(argumentSchemas.pending_signature_request),
  SignatureRequestForCallerArguments: annotate(input(argumentSchemas.signature_request_for_caller), {
    new_msg: newMsgNote,
  }),
  CreateApiKeyArguments: annotate(input(argumentSchemas.create_api_key), {
    name: { description: 'The name that its owner gives it.', pattern: STORABLE },
  }),

  ...Object.fromEntries(Object.entries(answerSchemas).map(([name, schema]) => [name, output(schema)])),
  StartResult: annotate(output(answerSchemas.StartResult), { token: 'Shows this one run to whoever holds it.' }),
  StartFlowResult: annotate(output(answerSchemas.StartFlowResult), {
    token: 'Shows this one run to whoever holds it.',
    warnings: warningsNote,
  }),
  DeployFlowResult: annotate(output(answerSchemas.DeployFlowResult), { warnings: warningsNote }),
  FlowWarning: annotate(output(answerSchemas.FlowWarning), {
    flow_id: 'The flow, or one that it calls.',
    code: Object.entries(warningCodes).map(([code, meaning]) => `\`${code}\`: ${meaning}`).join(' '),
    path: 'Where in the flow, such as `edges[3].targetHandle`.',
  }),
  PendingSignatureRequest: annotate(output(answerSchemas.PendingSignatureRequest), {
    time: 'When the request was made, in milliseconds since 1970.',
    pubkey: 'The key that shall sign.',
    message: 'The bytes to sign, base64: a serialized v0 message, not a transaction.',
    timeout:
      'Seconds, from `time` on, in which it can be answered. The transaction is good for about a minute: later the run fails.',
    flow_run_id: 'The run that asks: the one that was started, or one that it called.',
    signatures: 'Signatures that are known already.',
  }),
  SignatureRequestState: annotate(output(answerSchemas.SignatureRequestState), {
    signature: 'The answer that was taken; null when there is none.',
    new_msg: "The message that was signed instead of the request's.",
    expires_at: 'Until when it could be answered.',
    run_status: 'The status of the run that was started.',
  }),
  CalledFlowRun: annotate(output(answerSchemas.CalledFlowRun), {
    end_time: 'Null while it runs.',
    parent_flow_run_id: 'The run that called it.',
    parent_node_id: 'The node that called it, with parent_times.',
    parent_times: 'Which execution of that node: 0 for the first.',
  }),
  NewApiKey: annotate(output(answerSchemas.NewApiKey), {
    prefix: 'The first characters of the key, by which its owner recognises it.',
    key: 'The key. No later answer shows it again.',
  }),
  Fault: annotate(output(answerSchemas.Fault), { path: 'Where, such as `inputs.amount.U`.' }),
  Finding: annotate(output(answerSchemas.Finding), { path: 'Where in the flow, such as `edges[3].source`.' }),
  Node: nodeRow(),

  Error: error('Every error of /functions/v1.', { description: 'What is known beyond the message, as the code says.' }),
  RestError: error('Every error of /rest/v1, of this project and of PostgREST.', {
    ...nullableText,
    description: 'What is known beyond the message; for codes of this project the text of a JSON value.',
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
 * Schemas of parameters. Zod reads texts here, because a path and a query hold digits, where the document says numbers.
 * Tests show that both agree.
 */
export const parameterSchemas = {
  flowId: { type: 'integer', minimum: 0, maximum: 2_147_483_647 },
  wait: { type: 'number', minimum: 0, maximum: 999_999_999, default: DEFAULT_WAIT_SECONDS },
  uuid: output(z.uuid()),
  tag: input(startTargetSchema.shape.tag.unwrap()),
} satisfies Record<string, JsonSchema>;
