import { MAX_WAIT_SECONDS } from '../../../types/flow_run.ts';
import { WEBHOOK_TOKEN } from './examples.ts';
import { parameterSchemas } from './schemas/schemas.ts';

/** `components.securitySchemes` of the document. */
export const securitySchemes = {
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The access token of a user, which Supabase Auth gives: `Authorization: Bearer <ACCESS_TOKEN>`.',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: "A user's API key, `fk_…`, which `rpc/create_api_key` makes.",
  },
  publicKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'base58 of 32 bytes',
    description:
      'A public key, from a caller without an account: `Authorization: Bearer <PUBLIC_KEY>`. It names the caller and proves nothing.',
  },
  runToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'fr_ and 64 characters of base64url',
    description: 'The token of a run, from the answer to its start: `Authorization: Bearer <RUN_TOKEN>`.',
  },
  runTokenHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'x-flow-run-token',
    description:
      'The token of a run in its own header, beside other credentials. On /rest/v1 this is the only way to send it.',
  },
  projectKey: {
    type: 'apiKey',
    in: 'header',
    name: 'apikey',
    description:
      "The project's publishable or anon key, which the gateway requires on /rest/v1. It does not identify the caller. The secret or " +
      'service-role key acts as the project itself.',
  },
};

/** `components.parameters` of the document. */
export const componentParameters = {
  flowId: {
    name: 'flow_id',
    in: 'path',
    required: true,
    description: 'The flow.',
    schema: parameterSchemas.flowId,
    example: 7,
  },
  flowRunId: {
    name: 'flow_run_id',
    in: 'path',
    required: true,
    description: 'The run.',
    schema: parameterSchemas.uuid,
    example: '019aa645-8d3c-7a10-9f27-61c2f0a4d7e5',
  },
  deploymentId: {
    name: 'id',
    in: 'query',
    description: 'The deployment. Without it, `flow` is needed.',
    schema: parameterSchemas.uuid,
    example: '019aa645-6c00-7c3e-8b5e-0d2f4a8e9b11',
  },
  flow: {
    name: 'flow',
    in: 'query',
    description: 'The flow whose deployment `tag` names. Without it, `id` is needed.',
    schema: parameterSchemas.flowId,
  },
  tag: {
    name: 'tag',
    in: 'query',
    description: 'With `flow`: the tag of the deployment, by default `latest`.',
    schema: parameterSchemas.tag,
  },
  deploymentIdInPath: {
    name: 'deployment_id',
    in: 'path',
    required: true,
    description: 'The deployment.',
    schema: parameterSchemas.uuid,
    example: '019aa645-6c00-7c3e-8b5e-0d2f4a8e9b11',
  },
  tagInPath: {
    name: 'tag',
    in: 'path',
    required: true,
    description: 'The tag of the deployment.',
    schema: parameterSchemas.tag,
    example: 'stable',
  },
  inputToken: {
    name: 'token',
    in: 'path',
    required: true,
    description: 'The token of the pending input: the end of its `url`.',
    schema: { type: 'string' },
    example: 'fi_2xw0yQ9h0v6J8mJ0w3sX1uYvZk7aL5cN4bR6tD8eFgH',
  },
  webhookToken: {
    name: 'token',
    in: 'path',
    required: true,
    description: 'The last part of the URL that `rpc/create_webhook` gave.',
    schema: { type: 'string', pattern: '^fh_[A-Za-z0-9_-]{43}$' },
    example: WEBHOOK_TOKEN,
  },
  sentToken: {
    name: 'token',
    in: 'query',
    required: true,
    description: 'The token of the run that has output the transaction.',
    schema: { type: 'string' },
  },
  strict: {
    name: 'strict',
    in: 'query',
    description: 'Refuses a flow with warnings, with 422 `flow_invalid`.',
    schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
  },
  acceptUnknown: {
    name: 'accept_unknown',
    in: 'query',
    description: 'Redrives even if failed nodes may have changed something outside. The new run may repeat the change.',
    schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
  },
  redriveDeployment: {
    name: 'deployment',
    in: 'query',
    description:
      'Another deployment of the flow. The new run uses the graph and settings of this deployment, and takes over what is the same in both graphs.',
    schema: { type: 'string', format: 'uuid' },
  },
  wait: {
    name: 'wait',
    in: 'query',
    description:
      `The number of seconds to wait, with at most three decimals. A longer wait is shortened to ${MAX_WAIT_SECONDS}.`,
    schema: parameterSchemas.wait,
  },
  lastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description:
      'The `id` of the last event that the watcher has: the stream continues after it. Without it, the stream begins with the first event.',
    schema: parameterSchemas.eventId,
    example: 12,
  },
  preferRepresentation: {
    name: 'Prefer',
    in: 'header',
    description: 'With `return=representation` the answer is a list, as PostgREST gives it.',
    schema: { type: 'string' },
    example: 'return=representation',
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'For 24 hours, the same request with the same key returns the same run. A different request with the key gets a 409. A random UUID is ' +
      'a good key. If the caller has only a public key, the key must have at least 22 characters.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: '8f14e45f-ceea-467f-a8a1-2b1b5ad0c1de',
  },
  preferWait: {
    name: 'Prefer',
    in: 'header',
    description:
      '`wait=N` (RFC 7240): the answer waits up to N seconds, at most 100, for the end of the run. If the run has ended by then, the answer has ' +
      'its `status`, `output` and `errors`.',
    schema: { type: 'string', maxLength: 1_000 },
    example: 'wait=10',
  },
  answerKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'For clients that may lose the response: the same answer with the same key succeeds again. A second answer without the key, or with ' +
      'another value, gets a 409.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: '0b9f6b3c-62f5-4e5b-9d0e-7e1d6c6f4b21',
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description:
      'The `ETag` of an earlier answer, or several of them. If the new answer would be the same, an empty 304 is sent instead.',
    schema: { type: 'string' },
    example: '"91bc196f59ff26f37987de90a8e113cf1f8a8cd9a3d4f5a1c2b7e4d8f6a09b35"',
  },
  prefer: {
    name: 'Prefer',
    in: 'header',
    description: "PostgREST's preferences, separated by commas: `return=representation` returns the rows, " +
      '`resolution=merge-duplicates` changes existing rows, `resolution=ignore-duplicates` keeps them.',
    schema: { type: 'string' },
    example: 'return=representation,resolution=merge-duplicates',
  },
  onConflict: {
    name: 'on_conflict',
    in: 'query',
    description: 'The columns by which a repeated post is recognised: the primary key, which is also the default.',
    schema: { type: 'string' },
    example: 'owner_key,node_id,version',
  },
  columns: {
    name: 'columns',
    in: 'query',
    description: 'The columns to write, if the body has several records.',
    schema: { type: 'string' },
  },
  select: {
    name: 'select',
    in: 'query',
    description: 'The columns to return. A name that contains a dot must be in double quotes.',
    schema: { type: 'string' },
    example: 'id,"targets_form.json_schema"',
  },
};

/** `tags` of the document. */
export const tags = [
  { name: 'Project', description: 'The data that a client of a project needs first.' },
  { name: 'Deployments', description: 'Freezing flows.' },
  { name: 'Runs', description: 'Starting, reading and stopping runs.' },
  { name: 'Schedules and incoming webhooks', description: 'Starts at planned times, and starts by other services.' },
  { name: 'Actions', description: 'Deployments as Solana Actions: links that wallets open.' },
  { name: 'Tools', description: 'Deployments as tools of assistants (MCP).' },
  { name: 'Signatures', description: 'Messages that runs ask wallets to sign.' },
  { name: 'Pending inputs', description: 'Values that runs wait for.' },
  { name: 'Wallets', description: 'The keys that sign.' },
  { name: 'Connections', description: 'The credentials for other servers.' },
  { name: 'Node definitions', description: 'Records from which front-ends draw nodes.' },
  { name: 'Key-value stores', description: 'Data that flows and programs of a user share.' },
  { name: 'Credentials', description: 'API keys, and the identity of the caller.' },
];
