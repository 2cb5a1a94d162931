/** The codes of errors of runs that the runner gives; the database has the same list, with those of key-value stores. */
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

/** The codes that nodes of key-value stores give are those of the stores' functions. */
type StoreErrorCode = `kv_${string}`;

/** Whether a run can fail with this code of a store. It can't for a missing item: nodes give the output `found` for it. */
export const isStoreError = (code: string): code is StoreErrorCode =>
  code.startsWith('kv_') && code !== 'kv_item_not_found';

/** The text of an error with a code. No other text of an error may look so, unless it names an input of its node. */
export const codedError = (code: RunErrorCode | StoreErrorCode, text: string): string => `${code}: ${text}`;
