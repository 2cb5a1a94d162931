import type { Limits } from './limit.ts';
import { valueLimits } from './values.ts';

const REFUSED_BODY = '413 `body_too_large`';
const REFUSED_REQUEST = '400 `request_invalid`';
/** 1 MiB. */
const INPUTS_BYTES = 2 ** 20;
const REFUSED_STREAM = '429 `too_many_requests`';

/** The limits of requests, and of the values in them. */
export const requestLimits = {
  ...valueLimits,
  body_bytes: { value: 1_048_576, unit: 'bytes', meaning: 'body of a request', beyond: REFUSED_BODY, inSql: true },
  small_body_bytes: {
    value: 16_384,
    unit: 'bytes',
    meaning: 'body of `POST /signature/submit` and of the routes `/apikey/`',
    beyond: REFUSED_BODY,
  },
  inputs_bytes: {
    value: INPUTS_BYTES,
    unit: 'bytes',
    meaning: '`inputs` of a start, and an answer to a pending input with its tags',
    beyond: '413 `inputs_too_large`',
    inSql: true,
  },
  body_values: { value: 300_000, unit: 'values', meaning: 'JSON of a body', beyond: REFUSED_REQUEST },
  // With its tag and a comma, a value has about ten characters or more, such as `{"U":"1"},`.
  plain_values: {
    value: Math.floor(INPUTS_BYTES / 10),
    unit: 'values',
    meaning: '`values` of a start, and JSON of a request to a webhook',
    beyond: `413 \`inputs_too_large\`; of a webhook ${REFUSED_REQUEST}`,
    inSql: true,
  },
  url_characters: {
    value: 2_048,
    unit: 'characters',
    meaning: 'an address that is stored: of a chain, an icon, a receiver of webhooks',
    beyond: '400, with the name of the setting',
    inSql: true,
  },
  api_key_name_characters: {
    value: 100,
    unit: 'characters',
    meaning: 'name of an API key',
    beyond: REFUSED_REQUEST,
    inSql: true,
  },
  idempotency_key_characters: {
    value: 255,
    unit: 'characters',
    meaning: '`Idempotency-Key`',
    beyond: '400 `idempotency_key_invalid`',
    inSql: true,
  },
  min_guest_idempotency_key_characters: {
    value: 22,
    unit: 'characters',
    meaning: '`Idempotency-Key` of a caller with a public key, at least',
    beyond: '400 `idempotency_key_invalid`',
    inSql: true,
  },
  idempotency_hours: {
    value: 24,
    unit: 'hours',
    meaning: 'time for which an `Idempotency-Key` is remembered',
    beyond: 'then it starts a new run',
    inSql: true,
  },
  start_wait_seconds: {
    value: 100,
    unit: 's',
    meaning: 'waiting of a start with `Prefer: wait`, and of a request to a webhook with `respond`',
    beyond: 'the answer has no result; of a webhook 202',
  },
  default_wait_seconds: {
    value: 100,
    unit: 's',
    meaning: 'waiting of `GET /flow/output` and `GET /flow/signature_request`, by default',
    beyond: '202 or 204: call again',
  },
  // The platform ends a request to an Edge Function after 150 s.
  wait_seconds: {
    value: 140,
    unit: 's',
    meaning: 'waiting of these two routes with `?wait=`',
    beyond: '202 or 204: call again',
  },
  stream_seconds: {
    value: 140,
    unit: 's',
    meaning: 'length of a stream of `GET /flow/events`',
    beyond: 'the stream ends: connect again with `Last-Event-ID`',
  },
  stream_comment_seconds: {
    value: 15,
    unit: 's',
    meaning: 'time without an event in a stream of `GET /flow/events`',
    beyond: 'a comment is sent',
  },
  streams: { value: 1_000, unit: 'streams', meaning: 'streams that an isolate has open', beyond: REFUSED_STREAM },
  party_streams: {
    value: 250,
    unit: 'streams',
    meaning: 'of these, streams of one caller; also streams of all other callers on the runs of one owner',
    beyond: REFUSED_STREAM,
  },
  guest_streams: {
    value: 500,
    unit: 'streams',
    meaning: 'of these, streams of callers without an account',
    beyond: REFUSED_STREAM,
  },
  owners_guest_streams: {
    value: 125,
    unit: 'streams',
    meaning: 'of these, streams of callers without an account on the runs of one owner',
    beyond: REFUSED_STREAM,
  },
  event_value_bytes: {
    value: 8_192,
    unit: 'bytes',
    meaning: 'a value in an event',
    beyond: 'the event has null; `node_run` has the value',
    inSql: true,
  },
  calls_alone: {
    value: 16,
    unit: 'calls',
    meaning: 'calls of one caller that an isolate of a function has under way in the database, while no others call',
    beyond: 'others wait; callers take turns',
  },
  calls_shared: {
    value: 2,
    unit: 'calls',
    meaning: 'calls of one caller that an isolate of a function has under way in the database, while others call, too',
    beyond: 'others wait; callers take turns',
  },
  waiting_calls: {
    value: 500,
    unit: 'calls',
    meaning: 'calls of one caller that wait in an isolate',
    beyond: '429 `too_many_requests`',
  },
  all_waiting_calls: {
    value: 1_000,
    unit: 'calls',
    meaning: 'calls of all callers that wait in an isolate',
    beyond: '429 `too_many_requests` for the caller who has the most',
  },
  owner_lookups: {
    value: 1_000,
    unit: 'owners',
    meaning: 'tokens in URLs, API keys, run tokens and deployments whose owners one call of an isolate looks up',
    beyond: 'others wait',
  },
  waiting_owner_lookups: {
    value: 10_000,
    unit: 'owners',
    meaning: 'tokens in URLs, API keys, run tokens and deployments that wait for their owners to be looked up',
    beyond: '429 `too_many_requests`',
  },
  form_fields: {
    value: 1_000,
    unit: 'fields',
    meaning: 'a form that an incoming webhook takes',
    beyond: REFUSED_REQUEST,
    inSql: true,
  },
  row_start_rows: {
    value: 10_000,
    unit: 'rows',
    meaning: 'rows that a statement changes, if they start flows',
    beyond: 'starts nothing; `refused` and `last_error` of the row start record it',
    inSql: true,
  },
  chain_depth: {
    value: 16,
    unit: 'runs',
    meaning: 'runs that have led to a start, each by a webhook or by a node that starts a flow or writes a row',
    beyond: '409 `webhook_loop`, `start_loop`',
    inSql: true,
  },
  claim_token_seconds: {
    value: 300,
    unit: 's',
    meaning: 'the validity of the token by which a node calls the REST API; the worker renews it',
    beyond: '401 `token_invalid`',
    inSql: true,
  },
  webhook_headers_bytes: {
    value: 32_768,
    unit: 'bytes',
    meaning: 'headers of a request to an incoming webhook; also its query',
    beyond: REFUSED_REQUEST,
    inSql: true,
  },
  webhook_answer_bytes: {
    value: 1_048_576,
    unit: 'bytes',
    meaning: 'body of the answer of a webhook with `respond`',
    beyond: '409 `webhook_answer_failed`',
  },
  webhook_answer_headers_bytes: {
    value: 8_192,
    unit: 'bytes',
    meaning: 'names and values of the headers in this answer',
    beyond: '409 `webhook_answer_failed`',
  },
  forwarded_headers: {
    value: 20,
    unit: 'headers',
    meaning: 'headers that an incoming webhook passes to its run',
    beyond: '400 `column_invalid`',
    inSql: true,
  },
  listed_faults: {
    value: 20,
    unit: 'faults',
    meaning: 'faults that `details` of a request lists',
    beyond: 'others are left out',
    inSql: true,
  },
} satisfies Limits;
