import type { ErrorCode } from '../../../../types/errors.ts';
import { DEPLOYMENT_ID, description, FLOW_RUN_ID } from '../examples.ts';
import { type JsonSchema, ref } from '../schemas/json_schema.ts';
import { bodyErrors, credentialErrors, type Operation, restUser, rpc, user, whoStarts } from './operation.ts';

const message: JsonSchema = {
  type: 'object',
  description: 'A JSON-RPC message of the Model Context Protocol, of the revision 2026-07-28 or 2025-11-25.',
};

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'assistant', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const errors: ErrorCode[] = [
  'request_invalid',
  ...credentialErrors,
  ...bodyErrors,
  'too_many_requests',
  'internal',
  'service_unavailable',
];

const protocol =
  'Takes a JSON-RPC message of the Model Context Protocol, of the revision 2026-07-28 or 2025-11-25. Faults of a message are JSON-RPC errors.';

const answerMessage = {
  method: 'post',
  tag: 'Tools',
  body: {
    schema: message,
    isRequired: true,
    examples: { list: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } } },
  },
  answers: {
    200: {
      description: 'The answer to the message.',
      schema: message,
      example: {
        jsonrpc: '2.0',
        id: 1,
        result: { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' },
      },
      mediaTypes: ['application/json', 'text/event-stream'],
    },
    202: { description: 'The message was a notification, which has no answer.' },
  } as Operation['answers'],
} as const;

const whoMayStart: Operation['security'] = [...user, ['publicKey']];
const deploymentErrors: ErrorCode[] = [...errors, 'public_key_invalid', 'deployment_not_found'];

/** The operations of the function `mcp`, for assistants. */
export const mcpOperations: Operation[] = [
  {
    operationId: 'readToolsResource',
    method: 'get',
    path: '/mcp/.well-known/oauth-protected-resource',
    tag: 'Tools',
    summary: 'Names the server that gives tokens for tools',
    description: 'The metadata of RFC 9728. The header `WWW-Authenticate` of an answer 401 has this address.',
    security: [[]],
    answers: {
      200: {
        description: 'The metadata.',
        schema: {
          type: 'object',
          required: ['resource', 'authorization_servers', 'bearer_methods_supported'],
          properties: {
            resource: { type: 'string' },
            authorization_servers: { type: 'array', items: { type: 'string' } },
            bearer_methods_supported: { type: 'array', items: { type: 'string' } },
          },
        },
        example: {
          resource: 'https://example.supabase.co/functions/v1/mcp',
          authorization_servers: ['https://example.supabase.co/auth/v1'],
          bearer_methods_supported: ['header'],
        },
      },
    },
    errors: ['method_not_allowed', 'internal'],
  },
  {
    ...answerMessage,
    operationId: 'callOwnTools',
    path: '/mcp',
    summary: "Serves the caller's tools",
    description: `${protocol} The tools are the flows with a \`tool_name\`.`,
    security: user,
    errors,
  },
  {
    ...answerMessage,
    operationId: 'callDeploymentTool',
    path: '/mcp/d/{deployment_id}',
    summary: 'Serves a deployment as a tool',
    description: `${protocol} ${whoStarts}`,
    security: whoMayStart,
    parameters: ['deploymentIdInPath'],
    errors: deploymentErrors,
  },
  {
    ...answerMessage,
    operationId: 'callTaggedTool',
    path: '/mcp/f/{flow_id}/{tag}',
    summary: 'Serves the deployment with a tag as a tool',
    description: `${protocol} ${whoStarts}`,
    security: whoMayStart,
    parameters: ['flowId', 'tagInPath'],
    errors: deploymentErrors,
  },
  rpc('list_tools', {
    tag: 'Tools',
    summary: 'Lists the tools of the caller, or one deployment as a tool',
    description:
      `The function \`mcp\` calls it. The tools of the caller are the flows with a \`tool_name\`, 100 a page. ${whoStarts}`,
    security: [...restUser, ['projectKey']],
    isBodyRequired: false,
    examples: { own: {}, deployment: { id: DEPLOYMENT_ID } },
    answers: {
      200: {
        description: 'The tools.',
        schema: ref('ToolPage'),
        example: {
          tools: [{
            name: 'pay_the_shop',
            description: 'Sends the price of an order.',
            deployment_id: DEPLOYMENT_ID,
            has_effects: true,
            inputs: description.inputs,
            outputs: description.outputs,
          }],
          next: 7,
        },
      },
    },
    errors: ['public_key_invalid', 'start_target_ambiguous', 'deployment_not_found'],
  }),
  rpc('tool_run', {
    tag: 'Tools',
    summary: 'Reads a run that the caller has started as a tool, and its open questions',
    description:
      'For the function `mcp`. The token of the run is in `x-flow-run-token`. The answer for the run of another caller or flow is the same 404 as for a missing run.',
    security: [['projectKey', 'runTokenHeader'], ['projectKey', 'accessToken', 'runTokenHeader']],
    examples: { deployment: { deployment_id: DEPLOYMENT_ID } },
    answers: {
      200: {
        description: 'The run.',
        schema: ref('ToolRun'),
        example: {
          flow_run_id: FLOW_RUN_ID,
          status: 'waiting',
          output: null,
          errors: null,
          asks_for_signature: false,
          questions: [{ id: FLOW_RUN_ID }],
        },
      },
    },
    errors: ['flow_run_not_found'],
  }),
];
