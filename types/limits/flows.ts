import type { Limits } from './limit.ts';

const TOO_LARGE = '422 `flow_invalid`: `flow_too_large`';
const MALFORMED = '422 `flow_invalid`: `node_malformed`';
const REFUSED_COLUMN = '400 `column_invalid`';

/** The limits of flows. */
export const flowLimits = {
  flow_nodes: { value: 10_000, unit: 'nodes', meaning: 'nodes', beyond: TOO_LARGE, inSql: true },
  flow_edges: { value: 50_000, unit: 'edges', meaning: 'edges', beyond: TOO_LARGE, inSql: true },
  node_ports: {
    value: 1_000,
    unit: 'ports',
    meaning: 'inputs of a node; also outputs of a node',
    beyond: MALFORMED,
    inSql: true,
  },
  node_edges: {
    value: 1_000,
    unit: 'edges',
    meaning: 'edges that lead into one node',
    beyond: '422 `flow_invalid`: `node_edges_too_many`',
    inSql: true,
  },
  flow_expressions: {
    value: 1_000,
    unit: 'edges',
    meaning: 'edges with an expression',
    beyond: TOO_LARGE,
    inSql: true,
  },
  expression_characters: {
    value: 10_000,
    unit: 'characters',
    meaning: '`data.expression` of an edge',
    beyond: '422 `flow_invalid`: `edge_malformed`',
    inSql: true,
  },
  retry_attempts: {
    value: 20,
    unit: 'attempts',
    meaning: 'attempts of a node with `data.retry`',
    beyond: MALFORMED,
    inSql: true,
  },
  // A pause is shorter than the time for which a run may work.
  retry_pause_ms: {
    value: 600_000,
    unit: 'ms',
    meaning: 'a pause between attempts of a node',
    beyond: MALFORMED,
    inSql: true,
  },
  timeout_ms: {
    value: 604_800_000,
    unit: 'ms',
    meaning: '`data.timeout_ms` of a node',
    beyond: MALFORMED,
    inSql: true,
  },
  switch_cases: {
    value: 100,
    unit: 'cases',
    meaning: 'cases of a node `switch`',
    beyond: MALFORMED,
    inSql: true,
  },
  script_ports: {
    value: 32,
    unit: 'ports',
    meaning: 'inputs of a node `rhai_script` or `javascript`; also outputs',
    beyond: MALFORMED,
    inSql: true,
  },
  field_path_characters: {
    value: 1_024,
    unit: 'characters',
    meaning: '`field` of a condition',
    beyond: `${MALFORMED} for a case of a \`switch\`, else the node fails`,
    inSql: true,
  },
  port_name_characters: {
    value: 256,
    unit: 'characters',
    meaning: 'labels; ids and names of ports',
    beyond: MALFORMED,
    inSql: true,
  },
  flow_pins: {
    value: 100,
    unit: 'pins',
    meaning: 'pinned nodes of a flow (`flow_pins`)',
    beyond: '400 `column_invalid`',
    inSql: true,
  },
  // A start copies the pinned outputs into the settings of the run, and each claim reads these settings as a whole.
  flow_pins_bytes: {
    value: 262_144,
    unit: 'bytes',
    meaning: 'all pinned outputs of a flow',
    beyond: '400 `column_invalid`',
    inSql: true,
  },
  flow_versions: {
    value: 100,
    unit: 'versions',
    meaning: 'versions of a flow (`flow_versions`)',
    beyond: 'the oldest one without a name is deleted; if all have names, 409 `quota_exceeded`',
    inSql: true,
  },
  flow_version_minutes: {
    value: 10,
    unit: 'minutes',
    meaning: 'the time after a version of a flow is made, in which saves make no further version',
    beyond: 'a save keeps the former contents as a version',
    inSql: true,
  },
  checked_flow_bytes: {
    value: 2 ** 20,
    unit: 'bytes',
    meaning: 'a flow that `check_flow` checks, as JSON text; also all flows together that it calls',
    beyond: '413 `body_too_large`; called flows are not checked',
    inSql: true,
  },
  flow_checks_per_second: {
    value: 2,
    unit: 'calls',
    meaning: 'calls of `check_flow` by a user within a second, one at a time',
    beyond: '429 `too_many_requests`',
    inSql: true,
  },
  node_id_characters: {
    value: 200,
    unit: 'characters',
    meaning: '`node_id` of a node',
    beyond: MALFORMED,
    inSql: true,
  },
  flow_bytes: {
    value: 8 * 2 ** 20,
    unit: 'bytes',
    meaning: 'all of a flow, as JSON text: `nodes`, `edges`, and the rest of the row',
    beyond: REFUSED_COLUMN,
    inSql: true,
  },
  // Stored as jsonb, a mixture of texts and numbers takes as many bytes as its JSON text. Numbers alone take up to four
  // times as many bytes. Reading millions of numbers takes a gigabyte of memory.
  flow_jsonb_bytes: {
    value: 16 * 2 ** 20,
    unit: 'bytes',
    meaning:
      '`nodes` as jsonb, where a number takes 12 bytes or more, and any other value 4 bytes and its text; also `edges`',
    beyond: REFUSED_COLUMN,
    inSql: true,
  },
  written_flow_bytes: {
    value: 16 * 2 ** 20,
    unit: 'bytes',
    meaning: '`nodes` and `edges` that one request writes, in all flows together',
    beyond: '413 `flows_too_large`',
    inSql: true,
  },
  environment_bytes: {
    value: 65_536,
    unit: 'bytes',
    meaning: '`environment`',
    beyond: REFUSED_COLUMN,
    inSql: true,
  },
  flow_network_bytes: {
    value: 16_384,
    unit: 'bytes',
    meaning: '`chain_network` of a flow',
    beyond: REFUSED_COLUMN,
    inSql: true,
  },
  name_characters: {
    value: 200,
    unit: 'characters',
    meaning: '`name` of a flow, a deployment or a wallet',
    beyond: '400 `column_invalid`, for a deployment `name_invalid`',
    inSql: true,
  },
  flow_description_characters: {
    value: 20_000,
    unit: 'characters',
    meaning: '`description` of a flow',
    beyond: REFUSED_COLUMN,
    inSql: true,
  },
  snapshot_bytes: {
    value: 16 * 2 ** 20,
    unit: 'bytes',
    meaning: 'graph of a run: the flow and the flows that it calls, without the members that only the editor needs',
    beyond: '422 `flow_invalid`: `snapshot_too_large`',
    inSql: true,
  },
  listed_findings: {
    value: 1_000,
    unit: 'findings',
    meaning: 'findings that an answer lists',
    beyond: 'others are left out',
    inSql: true,
  },
  listed_warnings: {
    value: 100,
    unit: 'warnings',
    meaning: 'warnings that an answer lists',
    beyond: 'others are left out',
    inSql: true,
  },
} satisfies Limits;
