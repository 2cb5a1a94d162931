import {
  calledRun,
  definition,
  DEPLOYMENT_ID,
  description,
  FLOW_RUN_ID,
  graph,
  inputs,
  node,
  output,
  PUBLIC_KEY,
  runEvent,
  started,
  TIME,
  USER_ID,
  warning,
} from '../examples.ts';
import { ref } from '../schemas/json_schema.ts';
import {
  credentialErrors,
  flowStartErrors,
  limitErrors,
  type Operation,
  redriveErrors,
  restRunReader,
  restUser,
  rpc,
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

/** The PostgREST operations for clients, behind {node_db_url}. */
export const restOperations: Operation[] = [
  {
    operationId: 'postNodeDefinitions',
    method: 'post',
    path: '/rest/v1/nodes',
    tag: 'Node definitions',
    summary: 'Posts node definitions',
    description:
      'Stores one or several definitions: either all of them or none. With `Prefer: resolution=merge-duplicates` a repeated post changes ' +
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
      [[200, 'All definitions existed already and are changed.'], [201, 'The definitions are stored.']].map((
        [status, says],
      ) => [
        status,
        {
          description: `${says} With \`Prefer: return=representation\`, the body has the rows. Otherwise it is empty.`,
          schema: { anyOf: [{ type: 'array', items: ref('Node') }, ref('Node')] },
          example: [node],
          mediaTypes: ['application/json', 'application/vnd.pgrst.object+json'],
        },
      ]),
    ),
    errors: [...credentialErrors, 'node_definition_invalid', 'quota_exceeded'],
    nativeStatuses: [400, 401, 403, 406, 409, 415, 500, 503],
  },
  rpc('deploy_flow', {
    tag: 'Deployments',
    summary: 'Deploys a flow',
    description: 'Like `POST /flow/deploy/{flow_id}`, but without parsing the scripts of the flow.',
    examples: { flow: { flow_id: 7 } },
    answers: {
      200: {
        description: 'The new deployment.',
        schema: ref('DeployFlowResult'),
        example: { deployment_id: DEPLOYMENT_ID, warnings: [warning] },
      },
    },
    errors: ['flow_not_found', 'deployment_not_found', 'flow_changed', 'quota_exceeded', 'flow_invalid'],
  }),
  rpc('compare_deploy_settings', {
    tag: 'Deployments',
    summary: 'Compares the settings of a deploy with and without `settings_from`',
    description: 'Lists the settings in which the two deploys would differ. For the owner only.',
    examples: { latest: { flow_id: 7, settings_from: 'latest' } },
    answers: {
      200: {
        description: 'The settings that differ, by name.',
        schema: { type: 'array', items: ref('ComparedSetting') },
        example: [{ setting: 'start_permission', kept: 'Authenticated', otherwise: 'Owner' }],
      },
    },
    errors: ['flow_not_found', 'deployment_not_found'],
  }),
  rpc('read_flow_scripts', {
    tag: 'Deployments',
    summary: 'Reads the scripts of a flow and of the flows that it calls',
    description: '`POST /flow/deploy/{flow_id}` parses these scripts before it deploys. For the owner only.',
    examples: { flow: { flow_id: 7 } },
    answers: {
      200: {
        description: 'The scripts.',
        schema: ref('FlowScripts'),
        example: {
          as_of: { 7: '2026-01-01T00:00:00+00:00' },
          scripts: [{ flow_id: 7, index: 2, node_id: '4f1c2a58-5a0e-4c39-9a53-0a0f6f3f7b21', source: 'a + b' }],
          scripts_left_out: 0,
          flows_left_out: 0,
        },
      },
    },
    errors: ['flow_not_found'],
  }),
  rpc('read_deployment', {
    tag: 'Deployments',
    summary: 'Describes the inputs and outputs of a deployment',
    description: `As \`GET /deployment/read\`. ${whoStarts}`,
    security: [...restUser, ['projectKey']],
    examples: { latest: { flow: 7 } },
    answers: {
      200: { description: 'The deployment.', schema: ref('DeploymentDescription'), example: description },
    },
    errors: ['public_key_invalid', 'start_target_ambiguous', 'deployment_not_found'],
  }),
  rpc('deployment_graph', {
    tag: 'Deployments',
    summary: 'Reads the graphs that runs of a deployment execute',
    description:
      'Returns the frozen nodes and edges, and the positions that the nodes had when the flow was deployed. Programs can draw runs from them, ' +
      'even if the flows have changed since. For the owner only.',
    examples: { deployment: { id: DEPLOYMENT_ID } },
    answers: { 200: { description: 'The graphs.', schema: ref('DeploymentGraph'), example: graph } },
    errors: ['deployment_not_found'],
  }),
  rpc('flow_has_changed', {
    tag: 'Deployments',
    summary: 'Tells whether a flow has changed since a deployment',
    description:
      'True if the flow, or a flow that it calls, differs from the frozen graph. Notes and the positions of nodes do not count. For the owner only.',
    examples: { deployment: { id: DEPLOYMENT_ID } },
    answers: { 200: { description: 'Whether it has changed.', schema: { type: 'boolean' }, example: true } },
    errors: ['deployment_not_found'],
  }),
  rpc('start_deployment', {
    tag: 'Runs',
    summary: 'Starts a deployment',
    description:
      `Like \`POST /deployment/start\`, but notifies no worker, so the run begins when a worker next looks at the queue. If time matters, use the route. ${whoStarts}`,
    security: [...restUser, ['projectKey']],
    examples: {
      latest: { flow: 7, inputs },
      deployment: { id: DEPLOYMENT_ID, inputs, public_key: PUBLIC_KEY },
    },
    answers: { 200: { description: 'The run, queued.', schema: ref('StartResult'), example: started } },
    errors: [
      ...startErrors,
      ...limitErrors,
      'start_loop',
      'public_key_invalid',
      'start_target_ambiguous',
      'deployment_not_found',
    ],
  }),
  rpc('start_flow', {
    tag: 'Runs',
    summary: 'Starts a flow as it is now',
    description:
      'Like `POST /flow/start/{flow_id}`, but notifies no worker, so the run begins when a worker next looks at the queue.',
    examples: { flow: { flow_id: 7, inputs } },
    answers: {
      200: { description: 'The run, queued.', schema: ref('StartFlowResult'), example: { ...started, warnings: [] } },
    },
    errors: [...startErrors, ...flowStartErrors, 'queue_full', 'start_loop'],
  }),
  rpc('flow_run_result', {
    tag: 'Runs',
    summary: 'Reads the status of a run',
    description: 'Answers at once. For the owner of the flow, the starter of the run and the holder of its token.',
    security: restRunReader,
    examples: { run: { flow_run_id: FLOW_RUN_ID } },
    answers: runResultAnswers,
    errors: ['flow_run_not_found'],
  }),
  rpc('flow_run_wait', {
    tag: 'Runs',
    summary: 'Tells why a queued run waits',
    description:
      'For the owner of the flow, the starter of the run and the holder of its token. Null if the run does not wait because of limits by key.',
    security: restRunReader,
    examples: { run: { flow_run_id: FLOW_RUN_ID } },
    answers: {
      200: {
        description: 'What the run waits for.',
        schema: { anyOf: [ref('FlowRunWait'), { type: 'null' }] },
        example: { state: 'blocked', due_at: null, queue_key: 'customer' },
      },
    },
    errors: ['flow_run_not_found'],
  }),
  rpc('await_flow_run_result', {
    tag: 'Runs',
    summary: 'Waits up to 40 milliseconds for the end of a run',
    description:
      'Like `flow_run_result`, but waits. Only two callers wait at a time; others are answered at once. `GET /flow/output/{flow_run_id}?wait=` waits for longer.',
    security: restRunReader,
    examples: { run: { flow_run_id: FLOW_RUN_ID } },
    answers: runResultAnswers,
    errors: ['flow_run_not_found'],
  }),
  rpc('flow_run_events', {
    tag: 'Runs',
    summary: 'Reads a page of the events of a run',
    description:
      'Answers at once, with 200 events at most. `GET /flow/events/{flow_run_id}` streams them as they come. For the owner of the flow, the starter of the run ' +
      'and the holder of its token. Only the owner gets values, errors and log lines.',
    security: restRunReader,
    examples: { first: { flow_run_id: FLOW_RUN_ID }, next: { flow_run_id: FLOW_RUN_ID, after: runEvent.id } },
    answers: {
      200: {
        description: 'The events.',
        schema: ref('RunEventPage'),
        example: {
          events: [runEvent],
          last: runEvent.id,
          has_more: false,
          has_ended: false,
          flow_run_id: FLOW_RUN_ID,
          is_owner: false,
          owner_id: '7f6d2f1e-0b1c-4d7c-9c53-2a0a9b8f6d10',
          caller: FLOW_RUN_ID,
          is_guest: false,
          is_overdue: false,
        },
      },
    },
    errors: ['request_invalid', 'flow_run_not_found'],
  }),
  rpc('called_flow_runs', {
    tag: 'Runs',
    summary: 'Reads the status of the runs that a run called',
    description:
      'For the owner of the flow, the starter of the root run and the holder of its token. At most 1,000 runs, in the order of ' +
      "their ids. Inputs, outputs and errors of called runs reveal constants of the owner's flows, so only the owner can read them, in `flow_run`.",
    security: restRunReader,
    examples: { first: { flow_run_id: FLOW_RUN_ID }, next: { flow_run_id: FLOW_RUN_ID, after: calledRun.id } },
    answers: {
      200: {
        description: 'The runs.',
        schema: { type: 'array', items: ref('CalledFlowRun') },
        example: [calledRun],
      },
    },
    errors: ['flow_run_not_found'],
  }),
  rpc('flow_run_stats', {
    tag: 'Runs',
    summary: 'Counts runs by outcome',
    description: 'Counts the runs of a flow or deployment by status, duration and error code. For the owner only.',
    examples: { flow: { flow: 7 } },
    answers: {
      200: {
        description: 'The outcomes.',
        schema: ref('FlowRunStats'),
        example: {
          since: TIME,
          is_complete: true,
          runs: 3,
          by_status: { queued: 0, running: 0, waiting: 0, succeeded: 2, failed: 1, stopped: 0 },
          duration_ms: { p50: 120, p95: 480 },
          failures: [{ code: 'worker_lost', count: 1 }],
          usage: { 'gpt-5-mini': { requests: 4, input_tokens: 1200, output_tokens: 300 } },
        },
      },
    },
    errors: ['request_invalid', 'flow_not_found', 'deployment_not_found'],
  }),
  rpc('find_flow_runs', {
    tag: 'Runs',
    summary: 'Finds runs',
    description: 'Lists the runs that the caller owns or started, the newest first, without inputs and outputs. ' +
      'Called runs are left out. A search looks at the newest 100,000 runs.',
    examples: { all: {}, search: { search: 'timed out', status: 'failed' } },
    answers: {
      200: {
        description: 'The runs.',
        schema: ref('FoundFlowRuns'),
        example: {
          runs: [{
            id: FLOW_RUN_ID,
            flow_id: 7,
            deployment_id: null,
            schedule_id: null,
            webhook_id: null,
            row_start_id: null,
            status: 'queued',
            user_id: USER_ID,
            started_by: USER_ID,
            started_by_public_key: null,
            started_by_run_id: null,
            created_at: TIME,
            start_time: null,
            end_time: null,
            starter: 'user',
            first_error: null,
            flow_name: 'Order',
            started_by_email: 'ada@example.com',
          }],
          is_complete: true,
        },
      },
    },
    errors: ['request_invalid'],
  }),
  rpc('flow_run_overview', {
    tag: 'Runs',
    summary: 'Counts the runs of a filter',
    description: 'Counts the runs that `find_flow_runs` finds, by default of the last day, and groups their failures.',
    examples: { day: {}, flow: { flow: 7 } },
    answers: {
      200: {
        description: 'The counts.',
        schema: ref('FlowRunOverview'),
        example: {
          since: TIME,
          until: TIME,
          runs: 1,
          is_complete: true,
          by_status: { failed: 1 },
          parts: [{ part: 23, status: 'failed', count: 1 }],
          durations: [{ id: FLOW_RUN_ID, status: 'failed', created_at: TIME, ms: 120 }],
          duration_ms: { p50: 120, p95: 120 },
          failures: [{
            node_id: null,
            node: null,
            code: 'worker_lost',
            message: 'worker_lost: 5 workers were lost',
            count: 1,
            last_id: FLOW_RUN_ID,
          }],
        },
      },
    },
    errors: ['request_invalid'],
  }),
  rpc('rotate_on_end_secret', {
    tag: 'Deployments',
    summary: 'Makes the secret of outgoing webhooks',
    description:
      "The secret signs the messages that `on_end` of the flow's deployments requests, according to Standard " +
      'Webhooks. For 24 hours, the messages are also signed with the former secret.',
    examples: { flow: { flow_id: 7 } },
    answers: {
      200: {
        description: 'The secret. No later answer contains it.',
        schema: ref('OnEndSecret'),
        example: { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' },
      },
    },
    errors: ['flow_not_found'],
  }),
  rpc('redeliver_webhook', {
    tag: 'Runs',
    summary: 'Posts an outgoing webhook again',
    description:
      'Posts the message again with the same `webhook-id`, whatever the state of its delivery. The message goes to the address that the deployment has now.',
    examples: { delivery: { id: FLOW_RUN_ID } },
    answers: { 204: { description: 'The delivery is due.' } },
    errors: ['webhook_delivery_not_found', 'quota_exceeded'],
  }),
  rpc('stop_flow_run', {
    tag: 'Runs',
    summary: 'Asks a run to stop',
    description: 'As `POST /flow/stop/{flow_run_id}`.',
    security: restRunReader,
    examples: { run: { flow_run_id: FLOW_RUN_ID, reason: 'not needed any more' } },
    answers: { 204: { description: 'The run stops, or has ended.' } },
    errors: ['request_invalid', 'flow_run_not_found'],
  }),
  rpc('redrive_flow_run', {
    tag: 'Runs',
    summary: 'Redrives a failed or stopped run',
    description: 'As `POST /flow/redrive/{flow_run_id}`.',
    examples: { run: { flow_run_id: FLOW_RUN_ID } },
    answers: { 200: { description: 'The new run, queued.', schema: ref('StartResult'), example: started } },
    errors: ['request_invalid', ...redriveErrors, 'start_loop'],
  }),
  rpc('redrive_flow_runs', {
    tag: 'Runs',
    summary: 'Redrives many failed runs',
    description:
      'Redrives failed runs of a flow or deployment that have not been redriven yet, the oldest first, and returns a row for each. For the owner only.',
    examples: { deployment: { flow: 7, since: TIME, error_code: 'worker_lost', max_runs: 50 } },
    answers: {
      200: {
        description: 'The outcome for each run.',
        schema: { type: 'array', items: ref('RedrivenFlowRun') },
        example: [{ flow_run_id: FLOW_RUN_ID, redriven_as: '019ab6a8-93b6-7c2c-8de0-1f6a3c0f4b60', error: null }],
      },
    },
    errors: ['request_invalid', 'flow_not_found', 'deployment_not_found'],
  }),
  rpc('create_api_key', {
    tag: 'Credentials',
    summary: 'Makes an API key',
    description:
      'In the header `x-api-key` the key acts as the calling user. Deleting its row in `api_keys` revokes it. ' +
      'Neither a caller with an API key nor an anonymous user can make one.',
    security: [['projectKey', 'accessToken']],
    examples: { name: { name: 'ci' } },
    answers: {
      200: {
        description: 'The key. No later answer contains it.',
        schema: ref('NewApiKey'),
        example: {
          id: '0b0f3a0e-3f4b-4a61-9d53-7c9d1b2e6f80',
          user_id: USER_ID,
          name: 'ci',
          prefix: 'fk_3mJx0Qa',
          created_at: TIME,
          key: 'fk_3mJx0QaT7bVw2kLr9sYdEhUo5pNfGiZcMx1Rt6WqB8A',
        },
      },
    },
    errors: ['request_invalid', 'token_required', 'quota_exceeded'],
  }),
  rpc('whoami', {
    tag: 'Credentials',
    summary: 'Returns the calling user',
    description: 'Returns the user to whom the credential belongs.',
    isBodyRequired: false,
    takes: 'NoParams',
    examples: { nothing: {} },
    answers: {
      200: {
        description: 'The calling user.',
        schema: ref('Caller'),
        example: { user_id: USER_ID, is_anonymous: false },
      },
    },
    errors: [],
  }),
];
