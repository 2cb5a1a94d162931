import {
  type ErrorBody,
  type ErrorCode,
  errorCodes,
  errorEntries,
  type FunctionErrorBody,
} from '../../../types/errors.ts';
import { type JsonSchema, ref } from './schemas/json_schema.ts';
import { type Operation, pascalCase, rpcStatuses } from './operations/operation.ts';

const natural: JsonSchema = { type: 'integer', minimum: 0 };

const noDetails: JsonSchema = { type: 'null' };

/** The schemas of `details`, for codes whose details are not null. */
const detailSchemas: Partial<Record<ErrorCode, JsonSchema>> = {
  request_invalid: { type: ['array', 'null'], items: ref('Fault') },
  inputs_invalid: { type: ['array', 'null'], items: ref('Fault') },
  partial_config_invalid: { type: ['array', 'null'], items: ref('Fault') },
  environment_invalid: {
    type: ['array', 'null'],
    items: {
      type: 'object',
      required: ['path', 'message'],
      properties: { code: { type: 'string' }, path: { type: 'string' }, message: { type: 'string' } },
    },
  },
  column_invalid: { type: 'array', items: ref('Fault') },
  flow_invalid: { type: 'array', items: ref('Finding') },
  run_failed: ref('EndedRun'),
  run_stopped: ref('EndedRun'),
  webhook_answer_failed: {
    type: 'object',
    required: ['flow_run_id'],
    properties: { flow_run_id: { type: 'string', format: 'uuid' } },
  },
  run_redriven: { type: 'object', properties: { flow_run_id: { type: 'string', format: 'uuid' } } },
  run_not_redrivable: {
    type: 'object',
    properties: { reason: { type: 'string', enum: ['snapshot_deleted', 'deleted', 'cut_short', 'partial'] } },
  },
  redrive_graph_changed: {
    type: 'array',
    maxItems: 100,
    items: {
      type: 'object',
      properties: {
        flow_run_id: { type: 'string', format: 'uuid' },
        node_id: { type: 'string', format: 'uuid' },
        change: { type: 'string', enum: ['data', 'edges', 'removed', 'called_flow', 'caller'] },
      },
    },
  },
  outcome_unknown: {
    type: 'array',
    maxItems: 100,
    items: {
      type: 'object',
      properties: {
        flow_run_id: { type: 'string', format: 'uuid' },
        node_id: { type: 'string', format: 'uuid' },
        times: { type: 'integer', minimum: 0 },
      },
    },
  },
  transaction_changed: { type: ['array', 'null'], items: ref('Fault') },
  signature_request_answered: { anyOf: [ref('SignatureRequestState'), noDetails] },
  signature_request_expired: { anyOf: [ref('SignatureRequestState'), noDetails] },
  kv_size_limit: { type: 'object', required: ['size_bytes'], properties: { size_bytes: natural } },
  wallet_in_use: { type: 'object', properties: { deployment_id: { type: 'string', format: 'uuid' } } },
  queue_full: {
    type: 'object',
    required: ['limit', 'value'],
    properties: { limit: { enum: ['max_queue_length', 'queue_keys'] }, value: natural },
  },
  start_limit_reached: {
    type: 'object',
    required: ['limit', 'value', 'of'],
    properties: {
      limit: { enum: ['max_starts_per_minute', 'max_runs_in_flight'] },
      value: natural,
      of: {
        enum: ['all', 'guests', 'caller'],
        description:
          'The share that is used up: that of all callers, of callers who have not signed up, or of this caller.',
      },
    },
  },
  connection_in_use: {
    type: 'array',
    items: {
      type: 'object',
      required: ['deployment_id', 'tags'],
      properties: {
        deployment_id: { type: 'string', format: 'uuid' },
        tags: { type: 'array', items: { type: 'string' } },
      },
    },
  },
  quota_exceeded: {
    type: 'object',
    required: ['limit', 'of'],
    properties: {
      limit: natural,
      of: {
        enum: [
          'flows',
          'flow_bytes',
          'deployments',
          'deployment_bytes',
          'tags',
          'api_keys',
          'wallets',
          'connections',
          'nodes',
          'node_bytes',
          'schedules',
          'schedule_bytes',
          'pending_webhooks',
          'webhooks',
        ],
      },
    },
  },
};

const unique = (schemas: JsonSchema[]): JsonSchema[] => [
  ...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values(),
];

const anyOf = (schemas: JsonSchema[]): JsonSchema => {
  const different = unique(schemas);
  return different.length === 1 ? different[0]! : { anyOf: different };
};

function exampleOf(code: ErrorCode, isRest: boolean): ErrorBody | FunctionErrorBody {
  const { example } = errorEntries[code];
  if (example === undefined) throw new Error(`There is no example of the error ${code}.`);
  const { message, details = null, hint = null } = example;
  if (isRest) return { code, message, details: details === null ? null : JSON.stringify(details), hint };
  return { code, message, details, hint, error: message };
}

/**
 * Error codes whose answers have a Retry-After header. A `service_unavailable` from PostgREST itself lacks this header.
 */
const retried: ReadonlySet<ErrorCode> = new Set([
  'queue_full',
  'start_limit_reached',
  'too_many_requests',
  'service_unavailable',
]);

const retryAfter = {
  'Retry-After': { description: 'Seconds to wait before the next try.', schema: { type: 'integer', minimum: 0 } },
};

/** One response of the document. */
export interface ResponseObject {
  description: string;
  headers?: object;
  content?: { [mediaType: string]: { schema: JsonSchema; example?: unknown; examples?: object } };
}

/** What PostgREST refuses before a function runs, by status. Source: PostgREST documentation, "Errors". */
const nativeMeanings: Record<number, string> = {
  400: 'malformed JSON, a value of the wrong type, or an unknown column',
  401: 'a token that PostgREST refuses, or a write without a user',
  403: 'no right to this row',
  404: 'no such function with these arguments',
  406: "an `Accept` that can't be served",
  409: 'a key that already exists',
  415: 'a media type that PostgREST neither reads nor writes',
  500: 'something unexpected',
  503: 'the database does not answer',
};

/** Codes of PostgREST and of Postgres. */
const nativeCode: JsonSchema = { pattern: '^(PGRST[0-9X][0-9]{2}|[0-9A-Z]{5})$' };

/**
 * Makes the answer for these error codes. If PostgREST may answer with codes of its own, `native` describes their
 * meaning.
 */
function errorAnswer(codes: ErrorCode[], isRest: boolean, native: string | undefined): ResponseObject {
  const own: JsonSchema = { enum: codes };
  const schema: JsonSchema = {
    allOf: [ref(isRest ? 'RestError' : 'Error'), {
      properties: {
        code: native === undefined ? own : codes.length === 0 ? nativeCode : { anyOf: [own, nativeCode] },
        ...(!isRest && { details: anyOf(codes.map((code) => detailSchemas[code] ?? noDetails)) }),
      },
    }],
  };
  const lines = codes.map((code) => `- \`${code}\`: ${errorCodes[code].meaning}`);
  if (native !== undefined) lines.push(`- a code of PostgREST or Postgres: ${native}.`);
  const named = codes.map((code) => [code, { value: exampleOf(code, isRest) }]);
  return {
    description: lines.join('\n'),
    ...(codes.some((code) => retried.has(code)) && { headers: retryAfter }),
    content: {
      'application/json': {
        // On /rest/v1, the gateway may refuse an unauthenticated request before PostgREST sees it.
        schema: isRest && codes.includes('unauthenticated') ? { anyOf: [schema, ref('GatewayError')] } : schema,
        ...(named.length > 0 && { examples: Object.fromEntries(named) }),
      },
    },
  };
}

/**
 * Makes the error answers of an operation, one for each status. Equal answers have equal names, so that several
 * operations can share one answer of the document.
 */
export function errorAnswers(
  { errors, nativeStatuses }: Operation,
): { status: number; name: string; answer: ResponseObject }[] {
  const isRest = nativeStatuses !== undefined;
  const statuses = new Set([...errors.map((code) => errorCodes[code].status), ...nativeStatuses ?? []]);
  return [...statuses].toSorted((a, b) => a - b).map((status) => {
    const codes = errors.filter((code) => errorCodes[code].status === status);
    const native = nativeStatuses?.includes(status) ? nativeMeanings[status] : undefined;
    // If the status is not in `rpcStatuses`, few answers can have PostgREST's own codes. Each of them has its own name.
    const isRareNative = native !== undefined && codes.length > 0 && !rpcStatuses.includes(status);
    const name = codes.length > 0
      ? [...codes.map(pascalCase), ...isRareNative ? ['Native'] : []].join('Or')
      : String(status);
    return { status, name: isRest ? `Rest${name}` : name, answer: errorAnswer(codes, isRest, native) };
  });
}
