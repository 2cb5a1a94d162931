import type { Limits } from './limit.ts';

const NODE_FAILS = 'the node fails';
const SHORTENED = 'beginning and end are kept';
const DAY_SECONDS = 86_400;

/** The limits of one run, including the flows that it calls. No environment variable changes these limits. */
export const runLimits = {
  default_input_wait_seconds: {
    value: 7 * DAY_SECONDS,
    unit: 's',
    meaning: 'time that `api_input` waits, by default',
    beyond: 'the node fails: `input_expired`',
  },
  input_wait_seconds: {
    value: 30 * DAY_SECONDS,
    unit: 's',
    meaning: 'time that `api_input` waits, at most',
    beyond: NODE_FAILS,
  },
  answers_bytes: {
    value: 16 * 2 ** 20,
    unit: 'bytes',
    meaning: 'answers to the pending inputs of one run, together',
    beyond: '413 `inputs_too_large`',
    inSql: true,
  },
  run_search_characters: {
    value: 200,
    unit: 'characters',
    meaning: 'the search of a list of runs',
    beyond: '400 `request_invalid`',
    inSql: true,
  },
  runs_searched: {
    value: 100_000,
    unit: 'runs',
    meaning: 'runs that one search of a list looks at',
    beyond: '`is_complete` is false; a search with `until` finds older runs',
    inSql: true,
  },
  runs_listed: {
    value: 1_000,
    unit: 'runs',
    meaning: 'runs that `find_flow_runs` returns at once',
    beyond: '400 `request_invalid`',
    inSql: true,
  },
  runs_counted: {
    value: 5_000,
    unit: 'runs',
    meaning: 'runs that `flow_run_overview` counts',
    beyond: '`is_complete` is false; the newest are counted',
    inSql: true,
  },
  error_lines: { value: 100, unit: 'lines', meaning: 'lines in `errors` of a run', beyond: 'others are left out' },
  error_line_characters: { value: 4_000, unit: 'characters', meaning: 'an error line', beyond: SHORTENED },
  // The limit is small, because clients read the errors of many runs with one request.
  errors_characters: {
    value: 65_536,
    unit: 'characters',
    meaning: 'all error lines of a run',
    beyond: 'long lines are shortened: their beginning and end are kept',
  },
  log_line_characters: { value: 32_768, unit: 'characters', meaning: 'a log line', beyond: SHORTENED },
  event_bytes: {
    value: 2 ** 20,
    unit: 'bytes',
    meaning: 'an event of a streamed HTTP answer',
    beyond: NODE_FAILS,
  },
  mcp_events: {
    value: 5_000,
    unit: 'events',
    meaning: 'events with data in an answer of an MCP server',
    beyond: NODE_FAILS,
  },
  mcp_requests: {
    value: 16,
    unit: 'requests',
    meaning: 'requests that an MCP server makes during a call, such as `ping`',
    beyond: NODE_FAILS,
  },
  redirects: { value: 10, unit: 'redirects', meaning: 'redirects of an HTTP request', beyond: NODE_FAILS },
  project_requests: {
    value: 1,
    unit: 'requests',
    meaning: "requests of one owner's runs to the project's REST API at a time, in one worker",
    beyond: 'further requests wait',
  },
  rpc_answer_bytes: {
    value: 4 * 2 ** 20,
    unit: 'bytes',
    meaning: 'answer of an RPC server of the chain',
    beyond: NODE_FAILS,
  },
  rpc_answer_levels: {
    value: 128,
    unit: 'levels',
    meaning: 'answer of an RPC server of the chain',
    beyond: NODE_FAILS,
  },
  rpc_answer_values: {
    value: 125_000,
    unit: 'values',
    meaning: 'answer of an RPC server of the chain',
    beyond: NODE_FAILS,
  },
  // Source: Solana, PACKET_DATA_SIZE. A message is a part of a transaction, so no message is larger.
  transaction_bytes: { value: 1_232, unit: 'bytes', meaning: 'a transaction', beyond: NODE_FAILS },
  action_lookups: {
    value: 20,
    unit: 'look-ups',
    meaning: 'look-ups of the transaction that an action has output',
    beyond: '429 `action_lookups_limit`',
    inSql: true,
  },
  stop_timeout_ms: {
    value: 300_000,
    unit: 'ms',
    meaning: '`timeout_millies` of a stop',
    beyond: '400 `request_invalid`',
    inSql: true,
  },
  stop_reason_characters: {
    value: 1_000,
    unit: 'characters',
    meaning: '`reason` of a stop',
    beyond: '400 `request_invalid`',
    inSql: true,
  },
  repeated_nodes: {
    value: 100,
    unit: 'nodes',
    meaning: 'nodes that `repeat_effects` of a redrive names',
    beyond: '400 `request_invalid`',
    inSql: true,
  },
  // A worker keeps in memory all outputs of the runs that a partial run names.
  named_runs: {
    value: 10,
    unit: 'runs',
    meaning: 'runs that `partial_config` of a start names',
    beyond: '400 `partial_config_invalid`',
    inSql: true,
  },
} satisfies Limits;
