import { MAX_WAIT_SECONDS } from '../../../types/flow_run.ts';
import { parameterSchemas } from './schemas.ts';

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
      "The project's publishable or anon key, which the gateway requires on /rest/v1. It does not say who calls. The secret or " +
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
    description: 'With `flow`: the tag of the deployment to start, by default `latest`.',
    schema: parameterSchemas.tag,
  },
  strict: {
    name: 'strict',
    in: 'query',
    description: 'Refuses the flow, with 422 `flow_invalid`, for what would otherwise be a warning.',
    schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
  },
  wait: {
    name: 'wait',
    in: 'query',
    description:
      `How many seconds to wait for what is asked for, with three decimals at most; more than ${MAX_WAIT_SECONDS} count as that.`,
    schema: parameterSchemas.wait,
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'The same request with the same key gives the same run for 24 hours, and another request with it a 409. A random UUID is ' +
      'good; from a caller with a public key only, 22 characters at least.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: '8f14e45f-ceea-467f-a8a1-2b1b5ad0c1de',
  },
  prefer: {
    name: 'Prefer',
    in: 'header',
    description: "PostgREST's preferences, with commas between: `return=representation` answers with the rows, " +
      '`resolution=merge-duplicates` changes what is there, `resolution=ignore-duplicates` leaves it.',
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
    description: 'Which columns of several records to write.',
    schema: { type: 'string' },
  },
  select: {
    name: 'select',
    in: 'query',
    description: 'Which columns to answer with. A name that contains a dot stands in double quotes.',
    schema: { type: 'string' },
    example: 'id,"targets_form.json_schema"',
  },
};

/** `tags` of the document. */
export const tags = [
  { name: 'Deployments', description: 'Freezing flows.' },
  { name: 'Runs', description: 'Starting, reading and stopping runs.' },
  { name: 'Signatures', description: 'What runs ask wallets to sign.' },
  { name: 'Wallets', description: 'The keys that sign.' },
  { name: 'Node definitions', description: 'What front-ends draw nodes from.' },
  { name: 'Credentials', description: 'API keys, and who calls.' },
];
