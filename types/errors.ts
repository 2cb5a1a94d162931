/** The body of every error answer: PostgREST's shape, on /rest/v1 and /functions/v1 alike. */
export interface ErrorBody {
  /** Stable; what programs should look at. One of `errorCodes` for errors of this project. */
  code: string;
  /** For people. */
  message: string;
  /** What is known beyond the message, e.g. the list of findings of `flow_invalid`; else null. */
  details: unknown;
  /** What to do about it; else null. */
  hint: string | null;
}

/** Every error code of this project, with its HTTP status and meaning. */
export const errorCodes = {
  request_invalid: { status: 400, meaning: 'The request is malformed; `details` lists what is wrong and where.' },
  count_inexact: {
    status: 400,
    meaning: '`Prefer: count=planned` and `count=estimated` would tell of rows that the caller may not see.',
  },
  inputs_invalid: {
    status: 400,
    meaning: '`inputs` is no object of tagged values, or names an input that the flow does not have.',
  },
  start_target_ambiguous: { status: 400, meaning: 'A start names its deployment by `id`, or by `flow` and `tag`.' },
  action_signer_invalid: { status: 400, meaning: '`action_signer` is no public key.' },
  public_key_invalid: { status: 400, meaning: '`public_key` is no public key.' },
  idempotency_key_invalid: { status: 400, meaning: 'The Idempotency-Key is too short or too long.' },
  start_permission_invalid: {
    status: 400,
    meaning: '`start_permission` is none of `Owner`, `Authenticated`, `Anonymous`.',
  },
  fees_invalid: {
    status: 400,
    meaning: '`fees` is no list of `[address, amount]`; `details` lists what is wrong and where.',
  },
  chain_network_invalid: {
    status: 400,
    meaning: '`chain_network` is no `{url, cluster}`; `details` lists what is wrong and where.',
  },
  max_starts_per_minute_invalid: { status: 400, meaning: '`max_starts_per_minute` is no integer from 0 on.' },
  max_runs_in_flight_invalid: { status: 400, meaning: '`max_runs_in_flight` is no integer from 0 on.' },
  action_identity_invalid: { status: 400, meaning: '`action_identity` is no public key.' },
  action_identity_without_wallet: {
    status: 400,
    meaning: "The deployment's owner has no HARDCODED wallet of the public key in `action_identity`.",
  },
  node_definition_invalid: {
    status: 400,
    meaning: 'This is no node definition; `details` lists what is wrong and where.',
  },
  wallet_key_mismatch: { status: 400, meaning: '`keypair` is not the key pair of `public_key`.' },
  wallet_keypair_required: { status: 400, meaning: 'A HARDCODED wallet needs its key pair when it is first stored.' },
  signature_invalid: { status: 400, meaning: '`signature` is none of the asked key over the message.' },
  transaction_changed: {
    status: 400,
    meaning: '`new_msg` changes more of the transaction than it may; `details` lists what and where.',
  },
  column_read_only: { status: 400, meaning: 'The write changes a column that never changes.' },
  kv_store_name_invalid: { status: 400, meaning: 'For runners: this is no name of a key-value store.' },
  kv_key_invalid: { status: 400, meaning: 'For runners: the key of an item is too short or too long.' },
  kv_value_invalid: { status: 400, meaning: 'For runners: the value of an item is no tagged value.' },
  unauthenticated: { status: 401, meaning: 'The request carries no credential.' },
  token_invalid: { status: 401, meaning: 'The token is malformed, forged or expired, or its user is gone.' },
  api_key_invalid: { status: 401, meaning: 'There is no such API key.' },
  token_required: { status: 403, meaning: 'This needs the access token of a user who has signed up.' },
  route_not_found: { status: 404, meaning: 'There is no such route.' },
  flow_not_found: { status: 404, meaning: "There is no such flow, or it is somebody else's." },
  deployment_not_found: { status: 404, meaning: 'There is no such deployment, or the caller may not start it.' },
  flow_run_not_found: { status: 404, meaning: 'There is no such run, or the caller may not see it.' },
  signature_request_not_found: {
    status: 404,
    meaning:
      'There is no such signature request, or the caller may not see it and shows no signature that holds; or the run has ended and asks for none.',
  },
  wallet_not_found: { status: 404, meaning: "There is no such wallet, or it is somebody else's." },
  kv_store_not_found: { status: 404, meaning: "For runners: the flow's owner has no such key-value store." },
  method_not_allowed: { status: 405, meaning: 'The route has other methods; see the header `Allow`.' },
  flow_has_deployments: { status: 409, meaning: "A flow with deployments can't be deleted." },
  tag_latest_protected: { status: 409, meaning: 'The tag `latest` is kept by the database.' },
  wallet_in_use: { status: 409, meaning: 'The wallet is the action identity of a deployment.' },
  quota_exceeded: {
    status: 409,
    meaning: 'The user has as many as a user may have; `details` says of what, and how many that are.',
  },
  idempotency_key_reused: { status: 409, meaning: 'The Idempotency-Key was used for another request.' },
  run_failed: { status: 409, meaning: 'The run has failed; `details` holds its errors and its output.' },
  run_stopped: { status: 409, meaning: 'The run was stopped; `details` holds its errors and its output.' },
  signature_request_answered: {
    status: 409,
    meaning: 'The signature request is answered already; `details` holds the answer, for those who see the run.',
  },
  signature_request_expired: {
    status: 409,
    meaning:
      'The time to answer the signature request is over, or the run has ended; `details` says which, for those who see the run.',
  },
  claim_lost: { status: 409, meaning: 'For runners: the run was claimed again, or has ended.' },
  kv_store_exists: { status: 409, meaning: "For runners: the flow's owner has a key-value store of that name." },
  kv_stores_limit: { status: 409, meaning: "For runners: the flow's owner has 100 key-value stores already." },
  body_too_large: { status: 413, meaning: 'The body is larger than 1 MiB; for `/signature/submit`, than 16 KiB.' },
  inputs_too_large: { status: 413, meaning: '`inputs` is larger than 1 MiB.' },
  kv_size_limit: {
    status: 413,
    meaning: "For runners: the key-value stores of the flow's owner would exceed 100 MiB.",
  },
  media_type_unsupported: { status: 415, meaning: 'A body must be `application/json`.' },
  flow_invalid: { status: 422, meaning: "The flow can't run; `details` lists the first 1,000 findings." },
  queue_full: {
    status: 429,
    meaning:
      'More runs wait to be executed than the project allows; try again after `Retry-After` seconds. Owners are not limited.',
  },
  start_limit_reached: {
    status: 429,
    meaning:
      'Starts by others than the owner have reached a limit of the deployment, or the share of it that the caller has; `details` says which. Try again after `Retry-After` seconds.',
  },
  internal: { status: 500, meaning: 'Something unexpected happened; the log of the function has the reason.' },
  service_unavailable: {
    status: 503,
    meaning: 'The database does not answer now; try again after `Retry-After` seconds.',
  },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof errorCodes;
