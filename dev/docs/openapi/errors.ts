import { type ErrorBody, type ErrorCode, errorCodes, type FunctionErrorBody } from '../../../types/errors.ts';
import { FLOW_RUN_ID, SIGNATURE, TIME } from './examples.ts';
import { type JsonSchema, ref } from './json_schema.ts';
import { type Operation, rpcStatuses } from './operation.ts';

type Example = Pick<ErrorBody, 'message'> & Partial<ErrorBody>;

/** An example answer for each code that a documented operation gives. */
const examples: Partial<Record<ErrorCode, Example>> = {
  request_invalid: {
    message: 'The body is invalid: inputs.amount.U: must be an integer from 0 to 2^64-1, as a string.',
    details: [{ path: 'inputs.amount.U', message: 'must be an integer from 0 to 2^64-1, as a string' }],
  },
  inputs_invalid: {
    message: 'inputs: the flow has no input "ammount"; it has "amount", "order".',
    details: [{ path: 'inputs.ammount', message: 'the flow has no such input' }],
  },
  start_target_ambiguous: {
    message: 'Name the deployment either by id or by flow.',
    hint: 'Send ?id=<deployment id>, or ?flow=<flow id> with an optional &tag=.',
  },
  action_signer_invalid: { message: '`action_signer` must be a public key: base58 of 32 bytes.' },
  public_key_invalid: { message: '`public_key` must be a public key: base58 of 32 bytes.' },
  idempotency_key_invalid: {
    message:
      'Idempotency-Key must have 1 to 255 characters, and at least 22 from a caller with only a public key: use a random UUID.',
  },
  node_definition_invalid: {
    message: 'sources[0].type: is missing.',
    details: [{ path: 'sources[0].type', message: 'is missing' }],
    hint: 'This is the definition of node "add".',
  },
  wallet_key_mismatch: {
    message: 'keypair must be the key pair of public_key.',
    hint: 'A key pair is the 32 bytes of the secret key, then the 32 bytes of its public key.',
  },
  wallet_keypair_required: {
    message: 'A HARDCODED wallet needs its key pair.',
    hint: 'Send keypair, base58 of 64 bytes, to POST /wallets/upsert.',
  },
  signature_invalid: {
    message: 'signature must be a signature of da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs over the message.',
    hint: 'Sign the bytes of message. If the wallet signed other bytes, send them as new_msg.',
  },
  transaction_changed: {
    message: 'new_msg changes a part of the transaction that must stay: instructions[2].data: was changed.',
    details: [{ path: 'instructions[2].data', message: 'was changed' }],
    hint: 'Only the instructions of the compute budget may be changed, and only by the fee payer.',
  },
  unauthenticated: {
    message: 'The request carries no credential that this call accepts.',
    hint:
      'Send an access token (Authorization: Bearer <ACCESS_TOKEN>) or an API key (x-api-key: <API_KEY>). A run token is enough for its own run, a public key only for a start.',
  },
  token_invalid: { message: 'The access token has expired.', hint: 'Refresh the session, or sign in again.' },
  api_key_invalid: {
    message:
      'The API key is not valid: it was never made, it has been deleted, or its user has been deleted or banned.',
  },
  webhook_loop: {
    message: '17 runs have started one another by webhooks: it seems to be a loop.',
    hint: 'Let on_end of a deployment lead to no webhook that starts it again.',
  },
  webhook_signature_invalid: { message: 'The signature or its time is missing, wrong or too old.' },
  column_invalid: {
    message: 'cron.hour: has "25", where a number from 0 to 23, a range or * is needed.',
    details: [{
      path: 'cron.hour',
      message: 'has "25", where a number from 0 to 23, a range or * is needed',
    }],
  },
  column_read_only: {
    message: 'next_start_at, last_start_at, last_flow_run_id and last_error of a schedule are kept by the system.',
    hint: 'Leave them out.',
  },
  token_required: {
    message:
      "This needs the access token of a user who has signed up: API keys and anonymous users can't make API keys.",
  },
  api_key_not_found: { message: 'There is no such API key.' },
  kv_store_name_invalid: {
    message: 'The name of a store must be 1 to 120 letters, digits, _ and -, beginning with a letter.',
  },
  kv_key_invalid: { message: 'A key must have 1 to 1024 bytes.' },
  kv_value_invalid: { message: 'value: must be an object with exactly one tag, such as {"S": "text"}' },
  kv_store_not_found: { message: 'There is no store "settings".' },
  kv_item_not_found: { message: 'There is no item of this key in the store.' },
  kv_store_exists: { message: 'The store "settings" already exists.' },
  kv_stores_limit: {
    message: 'A user can have 100 key-value stores at most.',
    hint: 'Delete a store that is not needed any more.',
  },
  kv_size_limit: {
    message: 'The key-value stores of a user can hold 100 MiB at most, counting keys and values as text.',
    details: { size_bytes: 104_857_700 },
    hint: 'Delete a store that is not needed any more, or write smaller values.',
  },
  flow_not_found: { message: 'There is no such flow.' },
  deployment_not_found: { message: 'There is no such deployment.' },
  flow_run_not_found: { message: 'There is no such run.' },
  webhook_delivery_not_found: { message: 'There is no such delivery.' },
  signature_request_not_found: { message: 'There is no such signature request.' },
  signature_request_answered: {
    message: 'This signature request is already answered.',
    details: { signature: SIGNATURE, new_msg: null, expires_at: TIME, run_status: 'running' },
    hint: 'If details.signature is the one that you sent, your answer was stored.',
  },
  signature_request_expired: {
    message: 'The time to answer this signature request is over.',
    details: { signature: null, new_msg: null, expires_at: TIME, run_status: 'waiting' },
    hint: 'Start the run again, and sign before expires_at.',
  },
  pending_input_not_found: {
    message: 'There is no such pending input.',
    hint: 'A URL ends when its input expires, and when the run ends or is stopped.',
  },
  pending_input_answered: {
    message: 'This input was already submitted or cancelled: its URL works once.',
    hint: 'To be able to repeat a request whose response was lost, send it with an Idempotency-Key.',
  },
  webhook_not_found: { message: 'There is no such webhook.' },
  wallet_not_found: {
    message: 'There is no such wallet.',
    hint: "user_id must be the caller's own id; it may be left out.",
  },
  wallet_in_use: {
    message: 'The wallet is the action identity of deployment 019aa645-6c00-7c3e-8b5e-0d2f4a8e9b11.',
    details: { deployment_id: '019aa645-6c00-7c3e-8b5e-0d2f4a8e9b11' },
    hint: 'Change the action_identity of the deployments that name it first.',
  },
  quota_exceeded: {
    message: 'You have reached the quota of wallets: a user may have 1000 at most.',
    details: { limit: 1_000, of: 'wallets' },
    hint: 'Delete what you no longer need, or ask the operator of this project for more.',
  },
  idempotency_key_reused: {
    message: 'This Idempotency-Key was used for another request within the last 24 hours.',
    hint: 'Use a new key for a new request; repeat a request only as it was.',
  },
  run_failed: {
    message: 'The run has failed.',
    details: {
      errors: ['Transfer 4f1c2a58-5a0e-4c39-9a53-0a0f6f3f7b21: amount: the input is missing'],
      output: { M: { order: { U: '1042' } } },
    },
  },
  run_not_ended: { message: 'This run has not ended.', hint: 'Wait for its end, or stop it.' },
  run_succeeded: { message: 'This run has succeeded: there is nothing to go on from.', hint: 'Start a new run.' },
  run_redriven: {
    message: 'This run has been redriven, as 019aa645-8d3c-7a10-9f27-61c2f0a4d7e5.',
    details: { flow_run_id: FLOW_RUN_ID },
    hint: 'If that run has failed too, redrive it.',
  },
  run_not_redrivable: {
    message: 'The graph that it ran is not kept any more.',
    details: { reason: 'snapshot_deleted' },
    hint: 'Start a new run.',
  },
  outcome_unknown: {
    message:
      'Node 8d7f6e5c-1b2a-4c3d-9e8f-7a6b5c4d3e2f may have changed something outside before it failed, and would do so once more.',
    details: [
      {
        flow_run_id: FLOW_RUN_ID,
        node_id: '8d7f6e5c-1b2a-4c3d-9e8f-7a6b5c4d3e2f',
        times: 0,
      },
    ],
    hint:
      'Find out whether it happened. If that may happen twice, or did not happen, redrive with accept_unknown=true.',
  },
  run_stopped: { message: 'The run was stopped.', details: { errors: null, output: { M: {} } } },
  body_timeout: {
    message: 'The body arrives too slowly: 15 s have passed without its end.',
    hint: 'Send at least 65536 bytes of a body within 15 s.',
  },
  body_too_large: { message: 'The body is larger than 1048576 bytes.' },
  inputs_too_large: { message: 'inputs: must be at most 1 MiB of JSON' },
  flows_too_large: {
    message: 'One request may write at most 16 MiB of nodes and edges, in all flows together.',
    hint: 'Change fewer flows at once.',
  },
  media_type_unsupported: {
    message: 'A body must be application/json.',
    hint: 'Send the header Content-Type: application/json.',
  },
  flow_changed: {
    message: 'The flow, or one that it calls, was changed while it was being deployed.',
    hint: 'Deploy it again.',
  },
  flow_invalid: {
    message: 'The flow can\'t run: two edges lead into the input "value" of node 4f1c2a58-5a0e-4c39-9a53-0a0f6f3f7b21.',
    details: [{
      flow_id: 7,
      code: 'input_connected_twice',
      path: 'edges[3].targetHandle',
      message: 'two edges lead into the input "value" of node 4f1c2a58-5a0e-4c39-9a53-0a0f6f3f7b21',
    }],
  },
  queue_full: {
    message: 'More runs wait to be executed than this project allows.',
    details: { limit: 'max_queue_length', value: 100_000 },
    hint: 'Try again after the seconds in Retry-After.',
  },
  start_limit_reached: {
    message: 'This deployment has reached its max_starts_per_minute, 60.',
    details: { limit: 'max_starts_per_minute', value: 60, of: 'all' },
    hint: 'Try again after the seconds in Retry-After.',
  },
  method_not_allowed: { message: 'This route takes GET, not POST.' },
  action_failed: { message: 'The action could not make its transaction. Nothing was paid. Try again in a minute.' },
  action_lookups_limit: {
    message: 'The transaction of this run has been looked up 20 times.',
    hint: 'Look at its signature with a wallet or an explorer.',
  },
  too_many_requests: {
    message: 'Too many requests are waiting already.',
    hint: 'Try again after the seconds in Retry-After, with fewer requests at a time.',
  },
  internal: { message: 'Something unexpected happened.' },
  service_unavailable: { message: 'The database does not answer right now.' },
};

const natural: JsonSchema = { type: 'integer', minimum: 0 };

const noDetails: JsonSchema = { type: 'null' };

/** The schemas of `details`, for codes whose details are not null. */
const detailSchemas: Partial<Record<ErrorCode, JsonSchema>> = {
  request_invalid: { type: ['array', 'null'], items: ref('Fault') },
  inputs_invalid: { type: ['array', 'null'], items: ref('Fault') },
  column_invalid: { type: 'array', items: ref('Fault') },
  flow_invalid: { type: 'array', items: ref('Finding') },
  run_failed: ref('EndedRun'),
  run_stopped: ref('EndedRun'),
  run_redriven: { type: 'object', properties: { flow_run_id: { type: 'string', format: 'uuid' } } },
  run_not_redrivable: {
    type: 'object',
    properties: { reason: { type: 'string', enum: ['snapshot_deleted', 'deleted', 'cut_short'] } },
  },
  outcome_unknown: {
    type: 'array',
    maxItems: 100,
    items: {
      type: 'object',
      properties: {
        flow_run_id: { type: 'string', format: 'uuid' },
        node_id: { type: 'string', format: 'uuid' },
        times: { type: 'integer', minimum: 0 },
      },
    },
  },
  transaction_changed: { type: ['array', 'null'], items: ref('Fault') },
  signature_request_answered: { anyOf: [ref('SignatureRequestState'), noDetails] },
  signature_request_expired: { anyOf: [ref('SignatureRequestState'), noDetails] },
  kv_size_limit: { type: 'object', required: ['size_bytes'], properties: { size_bytes: natural } },
  wallet_in_use: { type: 'object', properties: { deployment_id: { type: 'string', format: 'uuid' } } },
  queue_full: {
    type: 'object',
    required: ['limit', 'value'],
    properties: { limit: { enum: ['max_queue_length'] }, value: natural },
  },
  start_limit_reached: {
    type: 'object',
    required: ['limit', 'value', 'of'],
    properties: {
      limit: { enum: ['max_starts_per_minute', 'max_runs_in_flight'] },
      value: natural,
      of: {
        enum: ['all', 'guests', 'caller'],
        description: 'Whose share is used up: that of all callers, of those who have not signed up, or of this caller.',
      },
    },
  },
  quota_exceeded: {
    type: 'object',
    required: ['limit', 'of'],
    properties: {
      limit: natural,
      of: {
        enum: [
          'flows',
          'flow_bytes',
          'deployments',
          'deployment_bytes',
          'tags',
          'api_keys',
          'wallets',
          'nodes',
          'schedules',
          'schedule_bytes',
          'pending_webhooks',
          'webhooks',
        ],
      },
    },
  },
};

const unique = (schemas: JsonSchema[]): JsonSchema[] => [
  ...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values(),
];

const anyOf = (schemas: JsonSchema[]): JsonSchema => {
  const different = unique(schemas);
  return different.length === 1 ? different[0]! : { anyOf: different };
};

function exampleOf(code: ErrorCode, isRest: boolean): ErrorBody | FunctionErrorBody {
  const example = examples[code];
  if (example === undefined) throw new Error(`There is no example of the error ${code}.`);
  const { message, details = null, hint = null } = example;
  if (isRest) return { code, message, details: details === null ? null : JSON.stringify(details), hint };
  return { code, message, details, hint, error: message };
}

/** Codes of answers with Retry-After; PostgREST's own `service_unavailable` lacks it. */
const retried: ReadonlySet<ErrorCode> = new Set([
  'queue_full',
  'start_limit_reached',
  'too_many_requests',
  'service_unavailable',
]);

const retryAfter = {
  'Retry-After': { description: 'Seconds to wait before the next try.', schema: { type: 'integer', minimum: 0 } },
};

/** One response of the document. */
export interface Answer {
  description: string;
  headers?: object;
  content?: { [mediaType: string]: { schema: JsonSchema; example?: unknown; examples?: object } };
}

/** What PostgREST refuses before a function runs, by status. Source: PostgREST documentation, "Errors". */
const nativeMeanings: Record<number, string> = {
  400: "what PostgREST or Postgres can't read: malformed JSON, a value of the wrong type, an unknown column",
  401: 'a token that PostgREST refuses, or a write without a user',
  403: 'no right to this row',
  404: 'no such function with these arguments',
  406: "an `Accept` that can't be served",
  409: 'a key that is there already',
  415: 'a media type that it neither reads nor writes',
  500: 'something unexpected',
  503: 'the database does not answer',
};

/** Codes of PostgREST and of Postgres. */
const nativeCode: JsonSchema = { pattern: '^(PGRST[0-9X][0-9]{2}|[0-9A-Z]{5})$' };

/** An error answer with one of the codes; on /rest/v1 with a `native` meaning, PostgREST's own are among them. */
function errorAnswer(codes: ErrorCode[], isRest: boolean, native: string | undefined): Answer {
  const own: JsonSchema = { enum: codes };
  const schema: JsonSchema = {
    allOf: [ref(isRest ? 'RestError' : 'Error'), {
      properties: {
        code: native === undefined ? own : codes.length === 0 ? nativeCode : { anyOf: [own, nativeCode] },
        ...(!isRest && { details: anyOf(codes.map((code) => detailSchemas[code] ?? noDetails)) }),
      },
    }],
  };
  const lines = codes.map((code) => `- \`${code}\`: ${errorCodes[code].meaning}`);
  if (native !== undefined) lines.push(`- a code of PostgREST or Postgres: ${native}.`);
  const named = codes.map((code) => [code, { value: exampleOf(code, isRest) }]);
  return {
    description: lines.join('\n'),
    ...(codes.some((code) => retried.has(code)) && { headers: retryAfter }),
    content: {
      'application/json': {
        // On /rest/v1 the gateway answers first.
        schema: isRest && codes.includes('unauthenticated') ? { anyOf: [schema, ref('GatewayError')] } : schema,
        ...(named.length > 0 && { examples: Object.fromEntries(named) }),
      },
    },
  };
}

const pascalCase = (code: string): string =>
  code.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');

/** The error answers of an operation by status, each with the name under which several operations share it. */
export function errorAnswers(
  { errors, nativeStatuses }: Operation,
): { status: number; name: string; answer: Answer }[] {
  const isRest = nativeStatuses !== undefined;
  const statuses = new Set([...errors.map((code) => errorCodes[code].status), ...nativeStatuses ?? []]);
  return [...statuses].toSorted((a, b) => a - b).map((status) => {
    const codes = errors.filter((code) => errorCodes[code].status === status);
    const native = nativeStatuses?.includes(status) ? nativeMeanings[status] : undefined;
    // A meaning that few operations have beside the same codes needs a name of its own.
    const isRareNative = native !== undefined && codes.length > 0 && !rpcStatuses.includes(status);
    const name = codes.length > 0
      ? [...codes.map(pascalCase), ...isRareNative ? ['Native'] : []].join('Or')
      : String(status);
    return { status, name: isRest ? `Rest${name}` : name, answer: errorAnswer(codes, isRest, native) };
  });
}
