import {
  calledRun,
  definition,
  DEPLOYMENT_ID,
  FLOW_RUN_ID,
  inputs,
  node,
  output,
  PUBLIC_KEY,
  started,
  TIME,
  USER_ID,
  warning,
} from './examples.ts';
import { ref } from './json_schema.ts';
import {
  credentialErrors,
  limitErrors,
  type Operation,
  restRunReader,
  restUser,
  rpcStatuses,
  startErrors,
  whoStarts,
} from './operation.ts';

const runResultAnswers: Operation['answers'] = {
  200: {
    description: 'The status of the run, and its output and errors once it has ended.',
    schema: ref('FlowRunResult'),
    example: { status: 'succeeded', output, errors: null, is_overdue: false },
  },
};

/** The operations of PostgREST that clients call: behind {node_db_url}. */
export const restOperations: Operation[] = [
  {
    operationId: 'postNodeDefinitions',
    method: 'post',
    path: '/rest/v1/nodes',
    tag: 'Node definitions',
    summary: 'Posts node definitions',
    description:
      'Stores one definition, or several: all or none. With `Prefer: resolution=merge-duplicates` a repeated post changes ' +
      'the stored row, column by column. A definition that is posted with the secret key, or by a publisher, is public; any other ' +
      "is the caller's own. `GET /rest/v1/nodes` reads them, with PostgREST's filters.",
    security: [['projectKey'], ...restUser],
    parameters: ['prefer', 'onConflict', 'columns', 'select'],
    body: {
      schema: { anyOf: [ref('NodeDefinition'), { type: 'array', items: ref('NodeDefinition') }] },
      isRequired: true,
      examples: { one: definition, several: [definition] },
    },
    answers: Object.fromEntries(
      [[200, 'All of them were there already, and are changed.'], [201, 'They are stored.']].map(([status, says]) => [
        status,
        {
          description: `${says} The rows with \`Prefer: return=representation\`, else an empty body.`,
          schema: { anyOf: [{ type: 'array', items: ref('Node') }, ref('Node')] },
          example: [node],
          mediaTypes: ['application/json', 'application/vnd.pgrst.object+json'],
        },
      ]),
    ),
    errors: [...credentialErrors, 'node_definition_invalid', 'quota_exceeded'],
    nativeStatuses: [400, 401, 403, 406, 409, 415, 500, 503],
  },
  {
    operationId: 'rpcDeployFlow',
    method: 'post',
    path: '/rest/v1/rpc/deploy_flow',
    tag: 'Deployments',
    summary: 'Deploys a flow',
    description: 'As `POST /flow/deploy/{flow_id}`.',
    security: restUser,
    body: { schema: ref('DeployFlowArguments'), isRequired: true, examples: { flow: { flow_id: 7 } } },
    answers: {
      200: {
        description: 'The new deployment.',
        schema: ref('DeployFlowResult'),
        example: { deployment_id: DEPLOYMENT_ID, warnings: [warning] },
      },
    },
    errors: [...credentialErrors, 'flow_not_found', 'quota_exceeded', 'flow_invalid'],
    nativeStatuses: rpcStatuses,
  },
  {
    operationId: 'rpcStartDeployment',
    method: 'post',
    path: '/rest/v1/rpc/start_deployment',
    tag: 'Runs',
    summary: 'Starts a deployment',
    description:
      `Like \`POST /deployment/start\`, but without a poke, so the run begins when a worker next looks at the queue. Use the route where time matters. ${whoStarts}`,
    security: [...restUser, ['projectKey']],
    body: {
      schema: ref('StartDeploymentArguments'),
      isRequired: true,
      examples: {
        latest: { flow: 7, inputs },
        deployment: { id: DEPLOYMENT_ID, inputs, public_key: PUBLIC_KEY },
      },
    },
    answers: { 200: { description: 'The run, queued.', schema: ref('StartResult'), example: started } },
    errors: [
      ...credentialErrors,
      ...startErrors,
      ...limitErrors,
      'public_key_invalid',
      'start_target_ambiguous',
      'deployment_not_found',
    ],
    nativeStatuses: rpcStatuses,
  },
  {
    operationId: 'rpcStartFlow',
    method: 'post',
    path: '/rest/v1/rpc/start_flow',
    tag: 'Runs',
    summary: 'Starts a flow as it is now',
    description:
      'Like `POST /flow/start/{flow_id}`, but without a poke, so the run begins when a worker next looks at the queue.',
    security: restUser,
    body: { schema: ref('StartFlowArguments'), isRequired: true, examples: { flow: { flow_id: 7, inputs } } },
    answers: {
      200: { description: 'The run, queued.', schema: ref('StartFlowResult'), example: { ...started, warnings: [] } },
    },
    errors: [...credentialErrors, ...startErrors, 'flow_not_found', 'flow_invalid'],
    nativeStatuses: rpcStatuses,
  },
  {
    operationId: 'rpcFlowRunResult',
    method: 'post',
    path: '/rest/v1/rpc/flow_run_result',
    tag: 'Runs',
    summary: 'Reads the status of a run',
    description: 'Answers at once. For the owner of the flow, the starter of the run and the holder of its token.',
    security: restRunReader,
    body: { schema: ref('FlowRunResultArguments'), isRequired: true, examples: { run: { flow_run_id: FLOW_RUN_ID } } },
    answers: runResultAnswers,
    errors: [...credentialErrors, 'flow_run_not_found'],
    nativeStatuses: rpcStatuses,
  },
  {
    operationId: 'rpcAwaitFlowRunResult',
    method: 'post',
    path: '/rest/v1/rpc/await_flow_run_result',
    tag: 'Runs',
    summary: 'Waits up to 40 milliseconds for the end of a run',
    description:
      'Like `flow_run_result`, but waits. Only two callers wait at a time; others are answered at once. `GET /flow/output/{flow_run_id}?wait=` waits for longer.',
    security: restRunReader,
    body: {
      schema: ref('AwaitFlowRunResultArguments'),
      isRequired: true,
      examples: { run: { flow_run_id: FLOW_RUN_ID } },
    },
    answers: runResultAnswers,
    errors: [...credentialErrors, 'flow_run_not_found'],
    nativeStatuses: rpcStatuses,
  },
  {
    operationId: 'rpcCalledFlowRuns',
    method: 'post',
    path: '/rest/v1/rpc/called_flow_runs',
    tag: 'Runs',
    summary: 'Reads the status of the runs that a run called',
    description:
      'For the owner of the flow, the starter of the root run and the holder of its token. At most 1,000 runs, in the order of ' +
      "their ids. Inputs, outputs and errors of called runs show constants of the owner's flows, so only the owner reads them, in `flow_run`.",
    security: restRunReader,
    body: {
      schema: ref('CalledFlowRunsArguments'),
      isRequired: true,
      examples: { first: { flow_run_id: FLOW_RUN_ID }, next: { flow_run_id: FLOW_RUN_ID, after: calledRun.id } },
    },
    answers: {
      200: {
        description: 'The runs.',
        schema: { type: 'array', items: ref('CalledFlowRun') },
        example: [calledRun],
      },
    },
    errors: [...credentialErrors, 'flow_run_not_found'],
    nativeStatuses: rpcStatuses,
  },
  {
    operationId: 'rpcStopFlowRun',
    method: 'post',
    path: '/rest/v1/rpc/stop_flow_run',
    tag: 'Runs',
    summary: 'Asks a run to stop',
    description: 'As `POST /flow/stop/{flow_run_id}`.',
    security: restRunReader,
    body: {
      schema: ref('StopFlowRunArguments'),
      isRequired: true,
      examples: { run: { flow_run_id: FLOW_RUN_ID, reason: 'not needed any more' } },
    },
    answers: { 204: { description: 'The run stops, or has ended.' } },
    errors: [...credentialErrors, 'request_invalid', 'flow_run_not_found'],
    nativeStatuses: rpcStatuses,
  },
  {
    operationId: 'rpcCreateApiKey',
    method: 'post',
    path: '/rest/v1/rpc/create_api_key',
    tag: 'Credentials',
    summary: 'Makes an API key',
    description:
      'In the header `x-api-key` the key acts as the calling user. Deleting its row in `api_keys` revokes it. ' +
      'Neither a caller with an API key nor an anonymous user can make one.',
    security: [['projectKey', 'accessToken']],
    body: { schema: ref('CreateApiKeyArguments'), isRequired: true, examples: { name: { name: 'ci' } } },
    answers: {
      200: {
        description: 'The key. No later answer shows it again.',
        schema: ref('NewApiKey'),
        example: {
          id: '0b0f3a0e-3f4b-4a61-9d53-7c9d1b2e6f80',
          name: 'ci',
          prefix: 'fk_3mJx0Qa',
          created_at: TIME,
          key: 'fk_3mJx0QaT7bVw2kLr9sYdEhUo5pNfGiZcMx1Rt6WqB8A',
        },
      },
    },
    errors: [...credentialErrors, 'request_invalid', 'token_required', 'quota_exceeded'],
    nativeStatuses: rpcStatuses,
  },
  {
    operationId: 'rpcWhoami',
    method: 'post',
    path: '/rest/v1/rpc/whoami',
    tag: 'Credentials',
    summary: 'Names the calling user',
    description: 'The user whom the credential proves.',
    security: restUser,
    body: { schema: ref('NoParams'), isRequired: false, examples: { nothing: {} } },
    answers: {
      200: {
        description: 'The calling user.',
        schema: ref('Caller'),
        example: { user_id: USER_ID, is_anonymous: false },
      },
    },
    errors: credentialErrors,
    nativeStatuses: rpcStatuses,
  },
];
