/** The body of every error answer, on /rest/v1 and /functions/v1: PostgREST's shape. */
export interface ErrorBody {
  /** The stable part, for programs. Errors of this project have one of `errorCodes`. */
  code: string;
  /** For people. */
  message: string;
  /** More data than the message has, such as the list of findings of `flow_invalid`; else null. */
  details: unknown;
  /** Advice for the caller; else null. */
  hint: string | null;
}

/** The body of every error answer of /functions/v1. */
export interface FunctionErrorBody extends ErrorBody {
  /** The message once more, for clients that read it here. */
  error: string;
}

/**
 * Every error code of the backend, with its HTTP status and meaning. The codes of errors that the client itself finds
 * are in `client/flow_error.ts`. Error texts stand where the errors are raised. To find one, search for the code in
 * `functions/` (`apiError`) and in `sql/`: `private.fail` repeats the status; `private.refuse_faults` takes its texts
 * from the `*_faults` function in its argument. Each code has an example in `dev/docs/openapi/errors.ts` and a remedy
 * in `dev/docs/reference/error_remedies.ts`.
 */
export const errorCodes = {
  request_invalid: { status: 400, meaning: 'The request is malformed; `details` lists what is wrong and where.' },
  count_inexact: {
    status: 400,
    meaning: '`Prefer: count=planned` and `count=estimated` count rows that the caller may not see; use `count=exact`.',
  },
  inputs_invalid: {
    status: 400,
    meaning:
      '`inputs` must be an object of tagged values, `values` one of plain JSON that fits the inputs; both name only inputs that the flow has, each once.',
  },
  start_target_ambiguous: {
    status: 400,
    meaning: 'Name the deployment by `id`, or by `flow` and `tag`, not by both.',
  },
  action_signer_invalid: { status: 400, meaning: '`action_signer` must be a public key: base58 of 32 bytes.' },
  public_key_invalid: { status: 400, meaning: '`public_key` must be a public key: base58 of 32 bytes.' },
  idempotency_key_invalid: {
    status: 400,
    meaning: 'The Idempotency-Key must have 1 to 255 characters; from a caller with only a public key, 22 to 255.',
  },
  start_permission_invalid: {
    status: 400,
    meaning: '`start_permission` must be `Owner`, `Authenticated` or `Anonymous`.',
  },
  name_invalid: { status: 400, meaning: '`name` of a deployment must be a text of at most 200 characters.' },
  description_invalid: {
    status: 400,
    meaning: '`description` of a deployment must be a text of at most 2,000 characters.',
  },
  icon_url_invalid: {
    status: 400,
    meaning: '`icon_url` must be an https address of at most 2,048 characters, or null.',
  },
  fees_invalid: {
    status: 400,
    meaning: '`fees` must be a list of `[address, amount]`; `details` lists what is wrong and where.',
  },
  chain_network_invalid: {
    status: 400,
    meaning: '`chain_network` must be `{url, cluster}`; `details` lists what is wrong and where.',
  },
  max_starts_per_minute_invalid: {
    status: 400,
    meaning: '`max_starts_per_minute` must be an integer of 0 or more, or null.',
  },
  max_runs_in_flight_invalid: {
    status: 400,
    meaning: '`max_runs_in_flight` must be an integer of 0 or more, or null.',
  },
  on_end_invalid: {
    status: 400,
    meaning: '`on_end` must be `{url, events}` or null; `details` lists what is wrong and where.',
  },
  action_identity_invalid: { status: 400, meaning: '`action_identity` must be a public key: base58 of 32 bytes.' },
  action_identity_without_wallet: {
    status: 400,
    meaning: "The deployment's owner has no HARDCODED wallet of the public key in `action_identity`.",
  },
  node_definition_invalid: {
    status: 400,
    meaning: 'The node definition is invalid; `details` lists what is wrong and where.',
  },
  wallet_key_mismatch: { status: 400, meaning: '`keypair` must be the key pair of `public_key`.' },
  wallet_keypair_required: { status: 400, meaning: 'A HARDCODED wallet needs its key pair when it is first stored.' },
  signature_invalid: { status: 400, meaning: '`signature` must be a signature of the requested key over the message.' },
  transaction_changed: {
    status: 400,
    meaning: '`new_msg` changes a part of the transaction that must stay; `details` lists what and where.',
  },
  column_invalid: {
    status: 400,
    meaning: 'A column of the row has a value that it must not have; `details` names the column and the expected form.',
  },
  column_read_only: { status: 400, meaning: 'The write changes a column that is read-only.' },
  kv_store_name_invalid: {
    status: 400,
    meaning: 'The name of a key-value store must be 1 to 120 letters, digits, `_` and `-`, beginning with a letter.',
  },
  kv_key_invalid: { status: 400, meaning: 'The key of an item must have 1 to 1,024 bytes.' },
  kv_value_invalid: { status: 400, meaning: 'The value of an item must be a tagged value.' },
  unauthenticated: { status: 401, meaning: 'The request carries no credential.' },
  token_invalid: { status: 401, meaning: 'The token is malformed, forged or expired, or its user was deleted.' },
  api_key_invalid: {
    status: 401,
    meaning: 'The API key was never made, it has been deleted, or its user has been deleted or banned.',
  },
  webhook_signature_invalid: {
    status: 401,
    meaning:
      'The signature of the request to the incoming webhook, or its time, is missing, wrong or older than 5 minutes.',
  },
  token_required: { status: 403, meaning: 'The request needs the access token of a user who has signed up.' },
  route_not_found: { status: 404, meaning: 'There is no such route.' },
  flow_not_found: { status: 404, meaning: "There is no such flow, or it is somebody else's." },
  deployment_not_found: { status: 404, meaning: 'There is no such deployment, or the caller may not start it.' },
  flow_run_not_found: { status: 404, meaning: 'There is no such run, or the caller may not see it.' },
  signature_request_not_found: {
    status: 404,
    meaning:
      'There is no such signature request, the caller may not see it and sent no valid signature, or the run has ended without one.',
  },
  webhook_delivery_not_found: {
    status: 404,
    meaning: "There is no such delivery of an outgoing webhook, or it is somebody else's.",
  },
  pending_input_not_found: {
    status: 404,
    meaning:
      'There is no such pending input: the token is unknown, the input has expired, or its run has ended or is being stopped.',
  },
  wallet_not_found: { status: 404, meaning: "There is no such wallet, or it is somebody else's." },
  webhook_not_found: {
    status: 404,
    meaning: "There is no such incoming webhook, it is not active, or it is somebody else's.",
  },
  kv_item_not_found: { status: 404, meaning: 'The key-value store has no item of this key.' },
  api_key_not_found: { status: 404, meaning: "There is no such API key, or it is somebody else's." },
  kv_store_not_found: { status: 404, meaning: 'The user has no such key-value store.' },
  method_not_allowed: {
    status: 405,
    meaning: 'The route does not take this method; the header `Allow` lists those that it takes.',
  },
  flow_changed: {
    status: 409,
    meaning: 'The flow, or one that it calls, was changed while it was being deployed.',
  },
  flow_has_deployments: { status: 409, meaning: 'The flow has deployments; delete them before the flow.' },
  tag_latest_protected: {
    status: 409,
    meaning: 'Only the database moves the tag `latest`; callers cannot write it.',
  },
  wallet_in_use: {
    status: 409,
    meaning: 'The wallet is the action identity of a deployment; change or delete the deployment first.',
  },
  quota_exceeded: {
    status: 409,
    meaning: 'The user has reached a quota; `details` names it and its value.',
  },
  webhook_loop: {
    status: 409,
    meaning: 'More than 16 runs have started one another by outgoing and incoming webhooks.',
  },
  idempotency_key_reused: { status: 409, meaning: 'The Idempotency-Key was used for another request.' },
  run_failed: { status: 409, meaning: 'The run has failed; `details` holds its errors and its output.' },
  action_failed: {
    status: 409,
    meaning: 'The action could not make a transaction for this wallet; its author sees in the run why.',
  },
  run_stopped: { status: 409, meaning: 'The run was stopped; `details` holds its errors and its output.' },
  run_not_ended: { status: 409, meaning: 'Only a run that has ended can be redriven.' },
  run_succeeded: { status: 409, meaning: 'A run that has succeeded cannot be redriven.' },
  run_redriven: {
    status: 409,
    meaning: 'The run has been redriven already; `details` names that run, which can be redriven if it fails too.',
  },
  run_not_redrivable: {
    status: 409,
    meaning: 'A redrive cannot take over the succeeded node executions of the run; `details` names the reason.',
  },
  outcome_unknown: {
    status: 409,
    meaning:
      'Failed node executions may have changed something outside, and a redrive would change it again; `details` lists them.',
  },
  signature_request_answered: {
    status: 409,
    meaning: 'The signature request has been answered; `details` holds the answer, for those who may see the run.',
  },
  signature_request_expired: {
    status: 409,
    meaning:
      'The signature request has expired, or its run has ended; `details` says which, for those who may see the run.',
  },
  pending_input_answered: {
    status: 409,
    meaning: 'The pending input was answered before, by a value or a cancellation.',
  },
  claim_lost: { status: 409, meaning: 'For runners: another claim has the run, or the run has ended.' },
  kv_store_exists: { status: 409, meaning: 'The user has a key-value store of that name.' },
  kv_stores_limit: { status: 409, meaning: 'The user has 100 key-value stores already.' },
  body_timeout: {
    status: 408,
    meaning: 'The body arrives too slowly for the gateway of the local stack; `hint` says how fast it must be.',
  },
  body_too_large: {
    status: 413,
    meaning:
      'The body is larger than 1 MiB; for `/signature/submit`, than 16 KiB; for `/rest/v1/flows` of a signed-in user, than 8 MiB.',
  },
  inputs_too_large: { status: 413, meaning: '`inputs` is larger than 1 MiB.' },
  flows_too_large: { status: 413, meaning: 'One request writes more than 16 MiB of nodes and edges to flows.' },
  kv_size_limit: {
    status: 413,
    meaning: 'The key-value stores of the user would exceed 100 MiB.',
  },
  media_type_unsupported: { status: 415, meaning: 'A body must be `application/json`.' },
  flow_invalid: { status: 422, meaning: "The flow can't run; `details` lists the first 1,000 findings." },
  queue_full: {
    status: 429,
    meaning:
      'The queue of the project is full, and a tenth of it or more are runs of the owner of this flow. Try again after `Retry-After` seconds. Owners are not limited.',
  },
  start_limit_reached: {
    status: 429,
    meaning:
      'Callers other than the owner have reached a limit of the deployment, or this caller has reached its share; `details` says which. Try again after `Retry-After` seconds.',
  },
  action_lookups_limit: {
    status: 429,
    meaning: 'The transaction of an action has been looked up as often as its run allows: 20 times.',
  },
  too_many_requests: {
    status: 429,
    meaning:
      'Too many requests to the Edge Function are waiting, or too many event streams are open, of this caller or of all callers. Try again after `Retry-After` seconds.',
  },
  internal: { status: 500, meaning: 'Something unexpected happened; the log of the function has the reason.' },
  service_unavailable: {
    status: 503,
    meaning: 'The database does not answer; try again after `Retry-After` seconds.',
  },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof errorCodes;
