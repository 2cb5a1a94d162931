import type { Limits } from './limit.ts';

const NODE_FAILS = 'the node fails';

/** The limits of single nodes. */
export const nodeLimits = {
  pattern_characters: {
    value: 500,
    unit: 'characters',
    meaning: 'the pattern of `regex_match` and `regex_replace`',
    beyond: NODE_FAILS,
  },
  input_webhook_header_bytes: {
    value: 8_192,
    unit: 'bytes',
    meaning: '`webhook_headers` of `api_input`, as JSON',
    beyond: NODE_FAILS,
  },
  input_webhook_extra_bytes: {
    value: 65_536,
    unit: 'bytes',
    meaning: '`extra` of `api_input`, as JSON',
    beyond: NODE_FAILS,
  },
  input_title_characters: {
    value: 200,
    unit: 'characters',
    meaning: '`title` of `api_input`',
    beyond: NODE_FAILS,
    inSql: true,
  },
  input_description_characters: {
    value: 4_000,
    unit: 'characters',
    meaning: '`description` of `api_input`',
    beyond: NODE_FAILS,
    inSql: true,
  },
  input_schema_bytes: {
    value: 8_192,
    unit: 'bytes',
    meaning: '`json_schema` of `api_input`, as JSON',
    beyond: NODE_FAILS,
    inSql: true,
  },
  input_choices: {
    value: 20,
    unit: 'choices',
    meaning: '`choices` of `api_input`',
    beyond: NODE_FAILS,
    inSql: true,
  },
  input_choice_characters: {
    value: 100,
    unit: 'characters',
    meaning: 'one of the `choices` of `api_input`',
    beyond: NODE_FAILS,
  },
  input_answerers: {
    value: 50,
    unit: 'addresses',
    meaning: 'e-mail addresses in `answered_by` of `api_input`',
    beyond: NODE_FAILS,
  },
  input_shown_inputs: {
    value: 20,
    unit: 'inputs',
    meaning: '`shown_inputs` of `api_input`',
    beyond: NODE_FAILS,
  },
  input_shown_bytes: {
    value: 4_096,
    unit: 'bytes',
    meaning: 'an input of the run that `api_input` shows, as JSON',
    beyond: 'the value is not shown',
    inSql: true,
  },
  checked_answer_bytes: {
    value: 65_536,
    unit: 'bytes',
    meaning: 'an answer that is checked against `json_schema` of `api_input`, as JSON',
    beyond: '400 `answer_invalid`',
  },
  answer_check_steps: {
    value: 100_000,
    unit: 'steps',
    meaning:
      'the check of an answer against `json_schema` of `api_input`; a step checks a value against a part of the schema',
    beyond: '400 `answer_invalid`',
  },
  query_url_characters: {
    value: 16_384,
    unit: 'characters',
    meaning: 'the URL of a query to PostgREST',
    beyond: NODE_FAILS,
  },
  search_steps: {
    value: 4_000_000,
    unit: 'steps',
    meaning: 'a search: the characters of the text times the instructions of the compiled pattern',
    beyond: NODE_FAILS,
  },
  search_ms: { value: 500, unit: 'ms', meaning: 'all searches of one execution', beyond: NODE_FAILS },
  date_characters: {
    value: 100,
    unit: 'characters',
    meaning: 'a date as text, its format, zone and locale',
    beyond: NODE_FAILS,
  },
  date_tokens: {
    value: 12,
    unit: 'tokens',
    meaning: 'a format of `date_parse`, which has each token once',
    beyond: NODE_FAILS,
  },
  base58_bytes: {
    value: 1_024,
    unit: 'bytes',
    meaning: 'bytes of `encode` and `decode` in base58',
    beyond: NODE_FAILS,
  },
  // Source: Amazon S3, "Object keys". Supabase Storage keeps files under keys of S3.
  storage_file_bytes: {
    value: 10 * 2 ** 20,
    unit: 'bytes',
    meaning: 'a file in user-storages and user-public-storages, also in an upload with an access token',
    beyond: '413 of Storage',
    inSql: true,
  },
  storage_counted_bytes: {
    value: 4_096,
    unit: 'bytes',
    meaning: 'the least size that a file counts as towards the quota `file_bytes`',
    beyond: 'smaller files count as this size',
    inSql: true,
  },
  storage_key_characters: {
    value: 1_024,
    unit: 'characters',
    meaning: 'path of a file in Storage, with the folder of its owner',
    beyond: NODE_FAILS,
  },
  storage_listed_names: {
    value: 1_000,
    unit: 'names',
    meaning: '`files` of `storage_list`',
    beyond: 'others are left out, and the run logs a warning',
  },
  storage_answer_bytes: {
    value: 4 * 2 ** 20,
    unit: 'bytes',
    meaning: 'an answer of Storage that is no file',
    beyond: NODE_FAILS,
  },
  storage_url_seconds: {
    value: 7 * 86_400,
    unit: 's',
    meaning: '`expires_in` of `storage_create_signed_url`',
    beyond: NODE_FAILS,
  },
  random_bytes: { value: 1_024, unit: 'bytes', meaning: '`size` of `random`', beyond: NODE_FAILS },
} satisfies Limits;
