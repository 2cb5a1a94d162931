import { DEPLOYMENT_ID, FLOW_RUN_ID, inputs, schedule, webhook, WEBHOOK_ID, WEBHOOK_TOKEN } from '../examples.ts';
import { ref } from '../schemas/json_schema.ts';
import { bodyErrors, credentialErrors, limitErrors, type Operation, restUser, rpc } from './operation.ts';

const tag = 'Schedules and incoming webhooks';

/** Operations that start runs without a call by the owner: webhooks and schedules. */
export const automaticStartOperations: Operation[] = [
  {
    operationId: 'receiveWebhook',
    method: 'post',
    path: '/deployment/hook/{token}',
    tag,
    summary: 'Starts the deployment of an incoming webhook',
    description:
      'For senders to whom the owner has given the URL. The request starts the deployment as its owner. The body becomes the input that the webhook names. ' +
      'It is JSON (`application/json`, or a type in `+json`), or a form (`application/x-www-form-urlencoded`), which becomes an object of strings. ' +
      'A request may have an id: the id of the verification scheme, or else the value of the header that `hmac` names, of `webhook-id`, `Idempotency-Key` or `X-GitHub-Delivery`. ' +
      'Within 24 hours, all requests with the same id start one run and get the same answer. If the webhook has `verification`, the request must be signed accordingly. ' +
      'If the webhook has `respond`, the request waits up to 100 s for its run, or `Prefer: wait=N` seconds. ' +
      'The output `response` of the run may then give the answer any status from 200 to 599, headers, and a body of any type. ' +
      'An unknown or deleted token, and the token of an inactive webhook, get the same 404 `webhook_not_found`.',
    security: [[]],
    parameters: ['webhookToken', 'preferWait'],
    body: {
      schema: { description: 'Any JSON, 64 levels deep at most, without two members of the same name in an object.' },
      isRequired: true,
      examples: { push: { ref: 'refs/heads/main', repository: { full_name: 'octo-org/octo-repo' } } },
    },
    answers: {
      200: {
        description:
          'The answer of a webhook with `respond`: the output of the run as JSON, or what its output `response` holds.',
        schema: { description: 'Any JSON.' },
        example: { total: 7 },
      },
      202: {
        description:
          'The queued run; for a repeated request, the earlier run. With `respond`: the run has not ended in time.',
        schema: ref('ReceivedWebhook'),
        example: { flow_run_id: FLOW_RUN_ID },
      },
    },
    errors: [
      'request_invalid',
      ...bodyErrors,
      'webhook_signature_invalid',
      'webhook_not_found',
      'deployment_not_found',
      'inputs_invalid',
      'inputs_too_large',
      'idempotency_key_invalid',
      'webhook_loop',
      'webhook_answer_failed',
      ...limitErrors,
      'too_many_requests',
      'internal',
      'service_unavailable',
    ],
  },
  rpc('create_webhook', {
    tag,
    summary: 'Makes an incoming webhook',
    description:
      'The URL of the webhook starts a deployment as the calling user. `flow` and `tag`, or `deployment_id`, name the deployment. The URL is shown only once. ' +
      'The table `flow_webhooks` lists webhooks. The owner can delete rows, and change all columns but `prefix`, `verification`, `hmac` and those that the system sets.',
    examples: {
      latest: { flow: 7, input: 'push' },
      github: {
        flow: 7,
        tag: 'stable',
        input: 'push',
        headers: ['x-github-event'],
        verification: 'github',
        secret: "It's a Secret to Everybody",
      },
      shopify: {
        flow: 7,
        input: 'order',
        verification: 'hmac',
        secret: 'the client secret of the app',
        hmac: { header: 'X-Shopify-Hmac-Sha256', encoding: 'base64', id_header: 'X-Shopify-Webhook-Id' },
      },
      answering: { flow: 7, input: 'request', whole_request: true, respond: true },
      deployment: { deployment_id: DEPLOYMENT_ID, input: 'event' },
    },
    answers: {
      200: {
        description: 'The webhook with its URL, which no later answer contains.',
        schema: ref('NewWebhook'),
        example: { ...webhook, url: `https://project.example/functions/v1/deployment/hook/${WEBHOOK_TOKEN}` },
      },
    },
    errors: [
      'request_invalid',
      'column_invalid',
      'inputs_invalid',
      'flow_not_found',
      'deployment_not_found',
      'quota_exceeded',
    ],
  }),
  rpc('set_webhook_verification', {
    tag,
    summary: 'Sets the verification of senders of an incoming webhook',
    description:
      'For senders that make their secret after they have the URL, and for changed secrets. Without `secret`, every request is refused.',
    examples: {
      stripe: { webhook_id: WEBHOOK_ID, verification: 'stripe', secret: 'whsec_of_the_endpoint' },
      none: { webhook_id: WEBHOOK_ID },
    },
    answers: { 200: { description: 'The webhook.', schema: ref('Webhook'), example: webhook } },
    errors: ['request_invalid', 'column_invalid', 'webhook_not_found'],
  }),
  rpc('next_cron_times', {
    tag,
    summary: 'Computes when a schedule would be due',
    description: 'Returns the next three times of a cron text in a time zone, as a preview. Nothing is stored.',
    examples: { weekdays: { cron: '30 6 * * MON-FRI', time_zone: 'Europe/Berlin' } },
    answers: {
      200: {
        description: 'The times, the next one first.',
        schema: { type: 'array', maxItems: 3, items: { type: 'string', format: 'date-time' } },
        example: ['2026-11-23T05:30:00+00:00', '2026-11-24T05:30:00+00:00', '2026-11-25T05:30:00+00:00'],
      },
    },
    errors: ['column_invalid'],
  }),
  {
    operationId: 'postSchedules',
    method: 'post',
    path: '/rest/v1/flow_schedules',
    tag,
    summary: 'Stores schedules',
    description:
      'A schedule starts a deployment as the calling user, once for each planned time and at most 10 seconds after it. ' +
      '`flow` and `tag`, or `deployment_id`, name the deployment. `GET`, `PATCH` and `DELETE /rest/v1/flow_schedules` read, change and delete schedules, with the filters of PostgREST.',
    security: restUser,
    parameters: ['prefer', 'columns', 'select'],
    body: {
      schema: { anyOf: [ref('NewSchedule'), { type: 'array', items: ref('NewSchedule') }] },
      isRequired: true,
      examples: {
        night: { flow: 7, cron: '30 6 * * MON-FRI', time_zone: 'Europe/Berlin', inputs },
        deployment: { deployment_id: DEPLOYMENT_ID, cron: '*/10 * * * *', policy: 'skip' },
      },
    },
    answers: {
      201: {
        description:
          'The schedules are stored. With `Prefer: return=representation`, the body has the rows. Otherwise it is empty.',
        schema: { anyOf: [{ type: 'array', items: ref('Schedule') }, ref('Schedule')] },
        example: [schedule],
        mediaTypes: ['application/json', 'application/vnd.pgrst.object+json'],
      },
    },
    errors: [
      ...credentialErrors,
      'column_invalid',
      'column_read_only',
      'inputs_invalid',
      'inputs_too_large',
      'deployment_not_found',
      'flow_not_found',
      'quota_exceeded',
    ],
    nativeStatuses: [400, 401, 403, 406, 409, 415, 500, 503],
  },
];
