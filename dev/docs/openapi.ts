import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCodes } from '../../types/errors.ts';
import { projectDir } from '../stack/paths.ts';
import { actionOperations } from './openapi/operations/action_operations.ts';
import { automaticStartOperations } from './openapi/operations/automatic_start_operations.ts';
import { errorAnswers, type ResponseObject } from './openapi/errors.ts';
import { flowOperations } from './openapi/operations/flow_operations.ts';
import { mcpOperations } from './openapi/operations/mcp_operations.ts';
import type { Operation } from './openapi/operations/operation.ts';
import { componentParameters, securitySchemes, tags } from './openapi/parts.ts';
import { pendingInputOperations } from './openapi/operations/pending_input_operations.ts';
import { programOperations } from './openapi/operations/program_operations.ts';
import { restOperations } from './openapi/operations/rest_operations.ts';
import { routeOperations } from './openapi/operations/route_operations.ts';
import { componentSchemas } from './openapi/schemas/schemas.ts';
import { signatureOperations } from './openapi/operations/signature_operations.ts';

/** The description of the API. */
export const openapiFile = join(projectDir, 'docs/reference/openapi.json');

/** Every documented operation. */
export const operations: readonly Operation[] = [
  ...routeOperations,
  ...actionOperations,
  ...mcpOperations,
  ...automaticStartOperations,
  ...signatureOperations,
  ...pendingInputOperations,
  ...programOperations,
  ...flowOperations,
  ...restOperations,
];

const server = (name: string, path: string, description: string) => ({
  url: `{${name}}`,
  description,
  variables: { [name]: { default: `http://127.0.0.1:54321${path}`, description: `https://<project>${path}` } },
});

const functionServers = [server('base_url', '/functions/v1', 'The Edge Functions.')];
const restServers = [server('node_db_url', '', 'The database, through PostgREST.')];

/** Returns the error answers that several operations share: `components.responses`. */
function sharedErrors(): Map<string, ResponseObject> {
  const shared = new Map<string, ResponseObject>();
  const seen = new Map<string, string>();
  for (const { name, answer } of operations.flatMap(errorAnswers)) {
    const text = JSON.stringify(answer);
    if (seen.has(name) && seen.get(name) !== text) throw new Error(`Two error answers have the name ${name}.`);
    if (seen.has(name)) shared.set(name, answer);
    seen.set(name, text);
  }
  return shared;
}

const mediaTypes = (names: string[], content: object) => Object.fromEntries(names.map((name) => [name, content]));

const operationObject = (operation: Operation, shared: Map<string, ResponseObject>) => ({
  operationId: operation.operationId,
  tags: [operation.tag],
  summary: operation.summary,
  description: operation.description,
  security: operation.security.map((names) => Object.fromEntries(names.map((name) => [name, []]))),
  ...(operation.parameters && {
    parameters: operation.parameters.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  }),
  ...(operation.body && {
    requestBody: {
      required: operation.body.isRequired,
      content: {
        'application/json': {
          schema: operation.body.schema,
          examples: Object.fromEntries(
            Object.entries(operation.body.examples).map(([name, value]) => [name, { value }]),
          ),
        },
      },
    },
  }),
  responses: {
    ...Object.fromEntries(
      Object.entries(operation.answers).map(([status, answer]) => [status, {
        description: answer.description,
        ...(answer.headers && { headers: answer.headers }),
        ...(answer.schema && {
          content: mediaTypes(answer.mediaTypes ?? ['application/json'], {
            schema: answer.schema,
            example: answer.example,
          }),
        }),
      }]),
    ),
    ...Object.fromEntries(
      errorAnswers(operation).map(({ status, name, answer }) => [
        status,
        shared.has(name) ? { $ref: `#/components/responses/${name}` } : answer,
      ]),
    ),
  },
});

function pathItems(shared: Map<string, ResponseObject>): Record<string, object> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const { path, method } = operation;
    paths[path] ??= path.startsWith('/rest/') ? { servers: restServers } : {};
    paths[path][method] = operationObject(operation, shared);
  }
  return paths;
}

/** Lists the codes that no documented operation returns: those of unknown routes, of tables and of the runner. */
function otherErrors(): string {
  const documented = new Set(operations.flatMap(({ errors }) => errors as string[]));
  return Object.entries(errorCodes).filter(([code]) => !documented.has(code))
    .map(([code, { status, meaning }]) => `- ${status} \`${code}\`: ${meaning}`).join('\n');
}

const overview = (): string =>
  `Deploys flows, starts them and reads their runs.

The routes are Edge Functions behind \`{base_url}\`. The database behind \`{node_db_url}\` has the same functions as RPCs, \
and its tables. PostgREST describes the tables itself, so this document describes only the posting of node definitions and schedules.

All errors have the shape \`{code, message, details, hint}\`. Programs look at \`code\`. On /rest/v1, \`details\` is a text, and \
there are also codes of PostgREST. On /functions/v1, \`error\` repeats the message. An unknown route answers 404 \`route_not_found\`, \
and a wrong method answers 405 \`method_not_allowed\` with \`Allow\`. Every route answers the preflight of a browser. Unknown query \
parameters and unknown members of a body are refused. Only actions and incoming webhooks ignore unknown query parameters.

These codes belong to calls that are not described here:

${otherErrors()}`;

const { version } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as { version: string };

/** Makes the document from the zod schemas and the table of operations. */
export function openapiDocument() {
  const shared = sharedErrors();
  return {
    openapi: '3.1.1',
    info: {
      title: 'Flow deployments',
      version,
      summary: 'A Supabase backend for flow deployments and native node definitions.',
      description: overview(),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: functionServers,
    tags,
    paths: pathItems(shared),
    components: {
      securitySchemes,
      parameters: componentParameters,
      responses: Object.fromEntries(shared),
      schemas: componentSchemas,
    },
  };
}

/** Returns the text of docs/reference/openapi.json. */
export const openapiText = (): string => `${JSON.stringify(openapiDocument(), null, 2)}\n`;
