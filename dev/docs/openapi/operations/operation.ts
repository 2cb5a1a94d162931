import type { ErrorCode } from '../../../../types/errors.ts';
import { type JsonSchema, ref } from '../schemas/json_schema.ts';
import type { componentParameters, securitySchemes } from '../parts.ts';

type Security = keyof typeof securitySchemes;

/** A documented operation: all that docs/reference/openapi.json says about it, in short form. */
export interface Operation {
  operationId: string;
  method: 'get' | 'post' | 'delete';
  /**
   * The parameters are in braces. For an Edge Function, this is the part after /functions/v1. A path of PostgREST
   * begins with /rest/v1.
   */
  path: string;
  tag: string;
  summary: string;
  description: string;
  /** Each entry is one combination of credentials; [] means no credential. */
  security: Security[][];
  parameters?: (keyof typeof componentParameters)[];
  body?: { schema: JsonSchema; isRequired: boolean; examples: Record<string, unknown> };
  answers: Record<
    number,
    { description: string; schema?: JsonSchema; example?: unknown; mediaTypes?: string[]; headers?: object }
  >;
  /** The project's error codes. */
  errors: ErrorCode[];
  /** Statuses of PostgREST's own errors. */
  nativeStatuses?: number[];
}

/** A user's credentials. */
export const user: Security[][] = [['accessToken'], ['apiKey']];

/** A user's credentials for PostgREST, which also needs the project's key. */
export const restUser: Security[][] = [['projectKey', 'accessToken'], ['projectKey', 'apiKey']];
/** The credentials with which a run can be read. */
export const runReader: Security[][] = [...user, ['runToken'], ['runTokenHeader']];
export const restRunReader: Security[][] = [...restUser, ['projectKey', 'runTokenHeader']];

/** Errors of credentials. */
export const credentialErrors: ErrorCode[] = ['unauthenticated', 'token_invalid', 'api_key_invalid'];
/** The errors of every route with credentials. */
export const routeErrors: ErrorCode[] = [
  'request_invalid',
  ...credentialErrors,
  'too_many_requests',
  'internal',
  'service_unavailable',
];
/** Errors of every route with a body. */
export const bodyErrors: ErrorCode[] = ['body_too_large', 'media_type_unsupported'];
/** Errors of every start. */
export const startErrors: ErrorCode[] = [
  'inputs_invalid',
  'action_signer_invalid',
  'priority_invalid',
  'idempotency_key_invalid',
  'idempotency_key_reused',
  'inputs_too_large',
];

/** The errors that only a start of a flow has. */
export const flowStartErrors: ErrorCode[] = [
  'flow_not_found',
  'flow_invalid',
  'partial_config_invalid',
  'environment_invalid',
  'flow_run_not_found',
  'run_not_ended',
];

/** The errors of a redrive. */
export const redriveErrors: ErrorCode[] = [
  'idempotency_key_invalid',
  'idempotency_key_reused',
  'flow_run_not_found',
  'run_not_ended',
  'run_succeeded',
  'run_redriven',
  'run_not_redrivable',
  'outcome_unknown',
  'inputs_invalid',
  'deployment_not_found',
  'redrive_graph_changed',
];
/** Errors that temporarily keep callers other than the owner from starting a deployment. */
export const limitErrors: ErrorCode[] = ['queue_full', 'start_limit_reached'];

/** Statuses of PostgREST's own errors for a call of a function. */
export const rpcStatuses = [400, 401, 404, 406, 415, 500, 503];

export const pascalCase = (name: string): string =>
  name.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');

/** A call of a SQL function through PostgREST. Its name gives the path, the id and the schema of the arguments. */
interface Rpc extends Pick<Operation, 'tag' | 'summary' | 'description' | 'answers'> {
  /** Default: a user's credentials. */
  security?: Security[][];
  /** The schema of the arguments, if its name does not follow from that of the function. */
  takes?: string;
  /** Default: true. */
  isBodyRequired?: boolean;
  examples: Record<string, unknown>;
  /** The error codes beside those of credentials. */
  errors: ErrorCode[];
}

export const rpc = (
  name: string,
  { security = restUser, takes = `${pascalCase(name)}Arguments`, isBodyRequired = true, examples, ...call }: Rpc,
): Operation => ({
  operationId: `rpc${pascalCase(name)}`,
  method: 'post',
  path: `/rest/v1/rpc/${name}`,
  ...call,
  security,
  body: { schema: ref(takes), isRequired: isBodyRequired, examples },
  errors: [...credentialErrors, ...call.errors],
  nativeStatuses: rpcStatuses,
});

export const whoStarts =
  '`start_permission` decides who may start the deployment: the owner, any user who has signed up, or anybody with a public key. ' +
  'The answer for a deployment that the caller may not start is the same 404 as for a missing deployment.';
