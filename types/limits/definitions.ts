import type { Limits } from './limit.ts';

const REFUSED = '400 `node_definition_invalid`';

/** The limits of node definitions. The limit of `node_id` is among the limits of flows. */
export const definitionLimits = {
  definition_bytes: {
    value: 262_144,
    unit: 'bytes',
    meaning: 'a definition: strings and member names as UTF-8, and 8 bytes for each value',
    beyond: REFUSED,
    inSql: true,
  },
  implementation_bytes: {
    value: 131_072,
    unit: 'bytes',
    meaning: '`data.implementation` of a described node, counted like the definition',
    beyond: REFUSED,
    inSql: true,
  },
  definition_levels: { value: 64, unit: 'levels', meaning: 'levels of JSON', beyond: REFUSED, inSql: true },
  definition_name_characters: {
    value: 256,
    unit: 'characters',
    meaning: 'names of ports and members',
    beyond: REFUSED,
    inSql: true,
  },
  definition_version_characters: {
    value: 100,
    unit: 'characters',
    meaning: '`version`',
    beyond: REFUSED,
    inSql: true,
  },
  definition_type_characters: {
    value: 64,
    unit: 'characters',
    meaning: '`type`: letters, digits, `_`, `-`; first a letter; neither `true` nor `false`',
    beyond: REFUSED,
    inSql: true,
  },
  document_bytes: {
    value: 16 * 2 ** 20,
    unit: 'bytes',
    meaning: 'a document or a list of tools that describes nodes',
    beyond: '422 `document_unreadable`',
  },
  listed_tools: {
    value: 5_000,
    unit: 'tools',
    meaning: 'tools of an MCP server that `POST /nodes/tools` lists',
    beyond: '422 `document_unreadable`',
  },
  tool_values: {
    value: 200_000,
    unit: 'values',
    meaning: 'JSON values of a page of such a list',
    beyond: '422 `document_unreadable`',
  },
  tool_levels: {
    value: 128,
    unit: 'levels',
    meaning: 'levels of JSON of a page of such a list',
    beyond: '422 `document_unreadable`',
  },
  document_ms: {
    value: 20_000,
    unit: 'ms',
    meaning: 'the requests of `POST /nodes/document` or `POST /nodes/tools`',
    beyond: '422 `document_unreadable`',
  },
} satisfies Limits;
