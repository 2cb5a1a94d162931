/**
 * The codes of the errors with which runs and nodes fail. Each code has a meaning and a remedy.
 * `dev/database/error_codes.ts` writes these codes and the codes of key-value stores to SQL.
 */
export const runErrors = {
  outcome_unknown: {
    meaning:
      'The worker died while a node with effects outside was running, so these effects may have happened. The node is run again only if it has `data.retry`.',
    remedy: 'Check whether the effects happened. Then redrive the run with `?accept_unknown=true`, or start a new run.',
  },
  effect_already_done: {
    meaning:
      'The run is a redrive. The node succeeded in the earlier run with other inputs, so it did not act again; the message names the inputs that differ.',
    remedy:
      'Check what the node did in the earlier run. If it may act again with the new inputs, redrive this run and name the node in `repeat_effects`.',
  },
  worker_lost: {
    meaning:
      'More than `RUNNER_MAX_LOST_CLAIMS` workers in a row were lost while they executed the run, or could not release it.',
    remedy: 'Read the log of the function or worker: the run itself may crash the worker.',
  },
  node_cpu_limit: {
    meaning:
      'A script needs more computing time than an Edge Function has, or a script of the sandbox needs more than 5 s.',
    remedy: 'Execute runs by a long-lived worker (`npm run worker`), or let the script compute less.',
  },
  node_timeout: {
    meaning:
      'An attempt took longer than `data.timeout_ms` of its node allows. If the node has effects outside, they may have happened.',
    remedy: 'Give the node more time, let it be tried again by `data.retry`, or handle the failure by `data.on_error`.',
  },
  node_executions_limit: { meaning: 'The run has reached `FLOW_RUN_MAX_NODE_EXECUTIONS`.', remedy: 'Loop over less.' },
  node_not_implemented: {
    meaning:
      'The runner has no native node of this `node_id`, there was no definition of the described node when the flow was deployed, or the runner does not execute nodes of this type.',
    remedy: 'Replace the node. A deploy warns of such nodes.',
  },
  definition_invalid: {
    meaning: 'The definition of a described node has a `data.implementation` that the runner does not understand.',
    remedy: 'Make the definition again from the description of the service, and deploy the flow again.',
  },
  run_time_limit: {
    meaning: 'Workers have worked on the run for `FLOW_RUN_MAX_WORK_MS`.',
    remedy: 'Divide the work into several runs.',
  },
  open_nodes_limit: {
    meaning: 'A call would exceed `FLOW_RUN_MAX_OPEN_NODES`.',
    remedy: 'Nest fewer calls of flows, or call fewer flows at the same time.',
  },
  run_size_limit: {
    meaning: 'The inputs and outputs of the run exceed `FLOW_RUN_MAX_TOTAL_BYTES`.',
    remedy: 'Pass less data from node to node.',
  },
  value_missing: {
    meaning: 'A partial run has no value for an input of one of its nodes.',
    remedy:
      'The value comes from the node at which the edge begins. In `values_config`, name a run in which this node gave the value, or give the value in `inline`.',
  },
  expression_failed: {
    meaning: 'The expression of an edge is wrong, failed, or gave a result that the input does not take.',
    remedy: 'Correct `data.expression` of the edge that the error names.',
  },
  output_too_large: {
    meaning: 'The outputs of one node exceed `FLOW_RUN_MAX_OUTPUT_BYTES`.',
    remedy: 'Make the outputs smaller.',
  },
  run_outputs_limit: {
    meaning: 'The outputs of the run exceed `FLOW_RUN_MAX_ALL_OUTPUT_BYTES`.',
    remedy: 'Make the outputs smaller.',
  },
  input_cancelled: {
    meaning: 'Somebody has cancelled the input for which a node `api_input` waited.',
    remedy: 'Start the run again.',
  },
  input_expired: {
    meaning: 'Nobody has answered a node `api_input` within its `timeout`.',
    remedy: 'Start the run again; give more time by `timeout`.',
  },
  bad_config: {
    meaning:
      'A node `api_input` asks in a wrong form: `title`, `description`, `json_schema` or `choices` is invalid. Or a setting of a node that asks a model is missing or invalid.',
    remedy: 'Correct the input or the setting that the error names.',
  },
  model_answer_invalid: {
    meaning: 'Two answers of the model in a row did not fit `response_schema`. The message names the faults.',
    remedy: 'Simplify the schema, describe its members, give more `max_tokens`, or choose another model.',
  },
  model_limit_reached: {
    meaning: 'The run, or all runs of its deployment on this day (UTC), have used the tokens of `model_limits`.',
    remedy:
      'Give the deployment a larger `run_tokens` or `day_tokens` and start the run again, or wait for the next day.',
  },
  model_call_too_long: {
    meaning:
      'A model had not ended its answer 40 s after the end of the time of an Edge Function. The call is not made again, because it would be paid again.',
    remedy: 'Execute runs by a long-lived worker (`npm run worker`), or ask for a shorter answer.',
  },
  input_address_unknown: {
    meaning: 'The worker could not make a URL for a node `api_input`: it does not know the address of the project.',
    remedy: 'As operator: set `SUPABASE_URL` or `FLOW_URL` for the worker.',
  },
  storage_denied: {
    meaning:
      "A `storage_*` node names a file outside the folder of the flow's owner, or a bucket that flows may not use.",
    remedy: 'Give `bucket` and `path` instead of `key`. As operator: list the bucket in `STORAGE_SHARED_BUCKETS`.',
  },
  quota_exceeded: {
    meaning: 'A node `storage_upload` would store more bytes than the quota `file_bytes` of the owner allows.',
    remedy: 'Delete files that are no longer needed, or ask the operator for a larger quota.',
  },
  storage_not_configured: {
    meaning: "The worker lacks the project's address or its secret key, which `storage_*` nodes need.",
    remedy:
      'As operator: set `SUPABASE_URL`, and `SUPABASE_SECRET_KEYS` or `SUPABASE_SERVICE_ROLE_KEY`, for the worker.',
  },
  project_address_unknown: {
    meaning: "A node could not call the project's REST API: the worker does not know its address or its public key.",
    remedy: 'As operator: set `SUPABASE_URL`, and `SUPABASE_PUBLISHABLE_KEYS` or `SUPABASE_ANON_KEY`, for the worker.',
  },
  connection_missing: {
    meaning:
      'The run has no connection of this name. The owner had no such connection when the flow was deployed, or when it was started without a deployment. Or the owner has deleted the connection since then. Or the flow and the flows that it calls use more connections than the limit allows.',
    remedy: 'Store the connection, then deploy the flow again.',
  },
  connection_url_refused: {
    meaning: 'The URL is not an https URL on one of the hosts of the connection.',
    remedy: 'Correct the URL, or store the connection with this host.',
  },
  connection_token_failed: {
    meaning: 'The token server of a connection gave no access token.',
    remedy: 'Test the connection; store it again with a secret that the token server takes.',
  },
  connection_unreadable: {
    meaning: 'The secret of the connection could not be decrypted.',
    remedy: 'Store the connection again. As operator: keep all keys in `WALLET_KEYS` that stored secrets need.',
  },
} as const satisfies Record<string, { meaning: string; remedy: string }>;

export type RunErrorCode = keyof typeof runErrors;

/** The nodes for key-value stores fail with the error codes of the SQL functions for these stores. */
type StoreErrorCode = `kv_${string}`;

/**
 * Tests whether a run can fail with this code of a store. A missing item is no failure, because nodes report it by the
 * output `found`.
 */
export const isStoreError = (code: string): code is StoreErrorCode =>
  code.startsWith('kv_') && code !== 'kv_item_not_found';

/**
 * Returns the code at the beginning of an error's text; undefined if the text begins with no code with which runs and
 * nodes fail.
 */
export function errorCode(text: string): string | undefined {
  const code = /^([a-z_]{1,40}): /.exec(text)?.[1];
  return code !== undefined && (Object.hasOwn(runErrors, code) || isStoreError(code)) ? code : undefined;
}

/**
 * Makes the text of an error with a code. In an error text without a code, only the name of an input may stand in the
 * place of the code.
 */
export const codedError = (code: RunErrorCode | StoreErrorCode, text: string): string => `${code}: ${text}`;
