import {
  connection,
  DEPLOYMENT_ID,
  description,
  inputs,
  output,
  partialConfig,
  PUBLIC_KEY,
  runEvent,
  started,
  wallet,
  warning,
} from '../examples.ts';
import { ref } from '../schemas/json_schema.ts';
import {
  bodyErrors,
  flowStartErrors,
  limitErrors,
  type Operation,
  redriveErrors,
  routeErrors,
  runReader,
  startErrors,
  user,
  whoStarts,
} from './operation.ts';

/** The operations of the Edge Functions, behind {base_url}. */
export const routeOperations: Operation[] = [
  {
    operationId: 'deployFlow',
    method: 'post',
    path: '/flow/deploy/{flow_id}',
    tag: 'Deployments',
    summary: 'Deploys a flow',
    description:
      "Freezes the caller's flow and every flow that it calls into a new deployment. The tag `latest` moves to this deployment.",
    security: user,
    parameters: ['flowId', 'strict'],
    body: {
      schema: ref('DeployFlowParams'),
      isRequired: false,
      examples: { nothing: {}, settings: { settings_from: 'latest' } },
    },
    answers: {
      200: {
        description: 'The new deployment.',
        schema: ref('DeployFlowResult'),
        example: { deployment_id: DEPLOYMENT_ID, warnings: [warning] },
      },
    },
    errors: [
      ...routeErrors,
      ...bodyErrors,
      'flow_not_found',
      'deployment_not_found',
      'flow_changed',
      'quota_exceeded',
      'flow_invalid',
    ],
  },
  {
    operationId: 'readDeployment',
    method: 'get',
    path: '/deployment/read',
    tag: 'Deployments',
    summary: 'Describes the inputs and outputs of a deployment',
    description:
      `Only for callers who may start it. ${whoStarts} The answer contains no nodes, constants and settings of the flow. ` +
      'Types come from the present node definitions of the project. Numbers may have more digits than a float holds.',
    security: [...user, ['publicKey']],
    parameters: ['deploymentId', 'flow', 'tag', 'ifNoneMatch'],
    answers: {
      200: {
        description: 'The deployment.',
        headers: { ETag: { description: 'A hash of the answer.', schema: { type: 'string' } } },
        schema: ref('DeploymentDescription'),
        example: description,
      },
      304: { description: 'The caller already has this answer.' },
    },
    errors: [...routeErrors, 'start_target_ambiguous', 'deployment_not_found'],
  },
  {
    operationId: 'startDeployment',
    method: 'post',
    path: '/deployment/start',
    tag: 'Runs',
    summary: 'Starts a deployment',
    description:
      `Starts the deployment that \`id\` names, or \`flow\` and \`tag\`. Give either \`id\` or \`flow\`. ${whoStarts} ` +
      'If the deployment has `debounce_seconds` and a run of the caller has not begun, the start replaces its inputs. A caller with a public key shows the token of that run, too.',
    security: [...user, ['publicKey'], ['publicKey', 'runTokenHeader']],
    parameters: ['deploymentId', 'flow', 'tag', 'idempotencyKey', 'preferWait'],
    body: {
      schema: ref('StartDeploymentParams'),
      isRequired: false,
      examples: {
        inputs: { inputs },
        values: { values: { amount: 1.5, to: PUBLIC_KEY } },
        signer: { inputs, action_signer: PUBLIC_KEY },
        nothing: {},
      },
    },
    answers: { 200: { description: 'The run, queued or ended.', schema: ref('StartResult'), example: started } },
    errors: [
      ...routeErrors,
      ...bodyErrors,
      ...startErrors,
      ...limitErrors,
      'start_target_ambiguous',
      'deployment_not_found',
    ],
  },
  {
    operationId: 'startFlow',
    method: 'post',
    path: '/flow/start/{flow_id}',
    tag: 'Runs',
    summary: 'Starts a flow without a deployment',
    description:
      'Runs the flow as it is stored now. The `deployment_id` of the run is null. Only the owner may do this.',
    security: user,
    parameters: ['flowId', 'strict', 'idempotencyKey', 'preferWait'],
    body: {
      schema: ref('StartFlowParams'),
      isRequired: false,
      examples: {
        inputs: { inputs },
        values: { values: { amount: 1.5 } },
        node: { partial_config: partialConfig },
        nothing: {},
      },
    },
    answers: {
      200: {
        description: 'The run, queued or ended.',
        schema: ref('StartFlowResult'),
        example: { ...started, warnings: [] },
      },
    },
    errors: [...routeErrors, ...bodyErrors, ...startErrors, ...flowStartErrors],
  },
  {
    operationId: 'readFlowOutput',
    method: 'get',
    path: '/flow/output/{flow_run_id}',
    tag: 'Runs',
    summary: "Waits for a run's output",
    description: 'For the owner of the flow, the starter of the run and the holder of its token.',
    security: runReader,
    parameters: ['flowRunId', 'wait'],
    answers: {
      200: {
        description: 'The run has succeeded. The body is its bare output.',
        schema: ref('Output'),
        example: output,
      },
      202: {
        description: 'The run has not ended; ask again.',
        schema: ref('RunPending'),
        example: { status: 'running' },
      },
    },
    errors: [...routeErrors, 'flow_run_not_found', 'run_failed', 'run_stopped'],
  },
  {
    operationId: 'watchFlowRun',
    method: 'get',
    path: '/flow/events/{flow_run_id}',
    tag: 'Runs',
    summary: 'Watches a run',
    description:
      'Streams the events of the run, and of the runs that it called, as server-sent events: `run_start`, `node_start`, `node_finish`, `node_error`, ' +
      '`log`, `signature_request`, `api_input`, `run_finish`. The `data` of each event has the form of `RunEventPage`. The stream ends after the `run_finish` of ' +
      'the run that was started, or after 140 seconds: connect again with `Last-Event-ID`. A comment comes every 15 seconds. For the owner of the flow, the starter ' +
      'of the run and the holder of its token. Only the owner gets values, errors and log lines.',
    security: runReader,
    parameters: ['flowRunId', 'lastEventId'],
    answers: {
      200: {
        description: 'The events, as they come.',
        schema: { type: 'string' },
        example: `id: ${runEvent.id}\nevent: ${runEvent.event}\ndata: ${JSON.stringify(runEvent.data)}\n\n`,
        mediaTypes: ['text/event-stream'],
      },
      204: { description: 'The run has ended, and there is no event after `Last-Event-ID`.' },
    },
    errors: [...routeErrors, 'flow_run_not_found'],
  },
  {
    operationId: 'stopFlow',
    method: 'post',
    path: '/flow/stop/{flow_run_id}',
    tag: 'Runs',
    summary: 'Asks a run to stop',
    description:
      'No new node starts. Running nodes are asked to end, and their results are recorded if they end within `timeout_millies`. Only the first ' +
      'request counts, and a run that has ended is not changed. For the owner of the flow, the starter of the run and the holder of its token.',
    security: runReader,
    parameters: ['flowRunId'],
    body: {
      schema: ref('StopFlowParams'),
      isRequired: false,
      examples: { gently: { timeout_millies: 5_000, reason: 'not needed any more' }, nothing: {} },
    },
    answers: {
      200: {
        description: 'The run stops, or has already ended.',
        schema: ref('StopFlowResult'),
        example: { success: true },
      },
    },
    errors: [...routeErrors, ...bodyErrors, 'flow_run_not_found'],
  },
  {
    operationId: 'redriveFlow',
    method: 'post',
    path: '/flow/redrive/{flow_run_id}',
    tag: 'Runs',
    summary: 'Redrives a failed or stopped run',
    description:
      'Starts a new run with the same graph, inputs, settings and starter. It takes over a succeeded node execution ' +
      'with its outputs if the inputs are the same as in the earlier run, and executes all other nodes. A node with effects that succeeded with other inputs is not executed again: it fails with `effect_already_done`, unless `repeat_effects` names it. A run can be redriven once. If the new run also fails, redrive the new run. For a called run, ' +
      'the whole tree of runs is redriven. Only the owner of the flow may do this. With `deployment`, the new run continues on another deployment of the flow. It then takes over a node execution only if the data and the incoming edges of the node are also the same.',
    security: user,
    parameters: ['flowRunId', 'acceptUnknown', 'redriveDeployment', 'idempotencyKey'],
    body: {
      schema: ref('RedriveParams'),
      isRequired: false,
      examples: {
        nothing: {},
        repeat: { repeat_effects: [{ flow_id: 7, node_id: '8d7f6e5c-1b2a-4c3d-9e8f-7a6b5c4d3e2f' }] },
      },
    },
    answers: { 200: { description: 'The new run, queued.', schema: ref('StartResult'), example: started } },
    errors: [...routeErrors, ...bodyErrors, ...redriveErrors],
  },
  {
    operationId: 'upsertWallet',
    method: 'post',
    path: '/wallets/upsert',
    tag: 'Wallets',
    summary: 'Stores a wallet',
    description:
      "Stores the caller's wallet of this public key, or changes it. The secret key of a HARDCODED wallet is kept as ciphertext " +
      'only, and no answer ever holds it.',
    security: user,
    body: {
      schema: ref('UpsertWalletParams'),
      isRequired: true,
      examples: {
        adapter: { type: 'ADAPTER', name: 'browser', public_key: PUBLIC_KEY },
        rename: { type: 'HARDCODED', name: 'renamed', public_key: PUBLIC_KEY },
      },
    },
    parameters: ['preferRepresentation'],
    answers: {
      200: {
        description: 'The wallet, without secrets. With `Prefer: return=representation` a list of this wallet.',
        schema: { oneOf: [ref('Wallet'), { type: 'array', items: ref('Wallet'), minItems: 1, maxItems: 1 }] },
        example: wallet,
      },
    },
    errors: [
      ...routeErrors,
      ...bodyErrors,
      'wallet_key_mismatch',
      'wallet_keypair_required',
      'token_required',
      'wallet_not_found',
      'wallet_in_use',
      'quota_exceeded',
    ],
  },
  {
    operationId: 'upsertConnection',
    method: 'post',
    path: '/connections/upsert',
    tag: 'Connections',
    summary: 'Stores a connection',
    description:
      "Stores the caller's connection of this name, or replaces it. The secret is kept as ciphertext only, and no answer ever " +
      'holds it. Every upsert contains the secret, so only somebody who knows the secret can name other hosts.',
    security: user,
    body: {
      schema: ref('UpsertConnectionParams'),
      isRequired: true,
      examples: {
        bearer: {
          name: 'mail',
          kind: 'bearer',
          hosts: ['api.example.com/v1'],
          secret: { token: 'a-token-of-the-api' },
        },
        header: {
          name: 'search',
          kind: 'header',
          header: 'x-api-key',
          hosts: ['search.example.com'],
          secret: { value: 'a-key-of-the-api' },
        },
      },
    },
    answers: {
      200: { description: 'The connection, without its secret.', schema: ref('Connection'), example: connection },
    },
    errors: [...routeErrors, ...bodyErrors, 'token_required', 'connection_changed', 'quota_exceeded'],
  },
  {
    operationId: 'testConnection',
    method: 'post',
    path: '/connections/test',
    tag: 'Connections',
    summary: 'Makes one request with a connection',
    description:
      "Sends a request with the secret of the caller's connection to a URL of its hosts, and returns the status of the response. Redirects are " +
      'not followed.',
    security: user,
    body: {
      schema: ref('TestConnectionParams'),
      isRequired: true,
      examples: { get: { name: 'mail', url: 'https://api.example.com/v1/me' } },
    },
    answers: { 200: { description: 'The status.', schema: ref('TestedConnection'), example: { status: 200 } } },
    errors: [...routeErrors, ...bodyErrors, 'token_required', 'connection_not_found', 'connection_test_failed'],
  },
  {
    operationId: 'readDocument',
    method: 'post',
    path: '/nodes/document',
    tag: 'Node definitions',
    summary: 'Reads a document that describes nodes',
    description:
      'Sends a GET request to the address, which must be public, and returns the text. The caller makes node definitions of it. ' +
      'A caller may have two such requests at a time.',
    security: user,
    body: {
      schema: ref('ReadDocumentParams'),
      isRequired: true,
      examples: {
        public: { url: 'https://api.example.com/openapi.yaml' },
        private: { url: 'https://api.example.com/openapi.yaml', connection: 'mail' },
      },
    },
    answers: {
      200: { description: 'The text.', schema: ref('ReadDocument'), example: { text: 'openapi: 3.1.0\n' } },
    },
    errors: [...routeErrors, ...bodyErrors, 'token_required', 'connection_not_found', 'document_unreadable'],
  },
  {
    operationId: 'readTools',
    method: 'post',
    path: '/nodes/tools',
    tag: 'Node definitions',
    summary: 'Lists the tools of an MCP server',
    description:
      'Asks the server at the address, which must be public, for its tools, by Streamable HTTP. The caller makes node definitions of them. ' +
      '`discover` is null for a server of the revision 2025-11-25. A caller may have two such requests or requests for documents at a time.',
    security: user,
    body: {
      schema: ref('ReadDocumentParams'),
      isRequired: true,
      examples: {
        public: { url: 'https://tools.example.com/mcp' },
        private: { url: 'https://tools.example.com/mcp', connection: 'tools' },
      },
    },
    answers: {
      200: {
        description: 'The tools as the server describes them.',
        schema: ref('ServerTools'),
        example: {
          url: 'https://tools.example.com/mcp',
          server: { name: 'tools', version: '1' },
          discover: { supportedVersions: ['2026-07-28'] },
          tools: [{ name: 'search', inputSchema: { type: 'object', properties: { words: { type: 'string' } } } }],
        },
      },
    },
    errors: [...routeErrors, ...bodyErrors, 'token_required', 'connection_not_found', 'document_unreadable'],
  },
];
