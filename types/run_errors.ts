/**
 * The codes of run errors that the runner raises. The database has the same list, with the codes of key-value stores.
 */
export const RUN_ERROR_CODES = [
  'input_address_unknown',
  'input_cancelled',
  'input_expired',
  'node_cpu_limit',
  'node_executions_limit',
  'node_not_implemented',
  'open_nodes_limit',
  'outcome_unknown',
  'output_too_large',
  'run_outputs_limit',
  'run_size_limit',
  'run_time_limit',
  'worker_lost',
] as const;

export type RunErrorCode = typeof RUN_ERROR_CODES[number];

/** Nodes of key-value stores use the error codes of the stores' functions. */
type StoreErrorCode = `kv_${string}`;

/**
 * Tests whether a run can fail with this code of a store. A missing item is no failure: nodes have the output `found`
 * for it.
 */
export const isStoreError = (code: string): code is StoreErrorCode =>
  code.startsWith('kv_') && code !== 'kv_item_not_found';

/**
 * Makes the text of an error with a code. Other error texts may have this form only if they begin with the name of an
 * input.
 */
export const codedError = (code: RunErrorCode | StoreErrorCode, text: string): string => `${code}: ${text}`;
