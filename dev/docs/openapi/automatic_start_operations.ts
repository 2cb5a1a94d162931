import { DEPLOYMENT_ID, FLOW_RUN_ID, inputs, schedule, webhook, WEBHOOK_ID, WEBHOOK_TOKEN } from './examples.ts';
import { ref } from './json_schema.ts';
import { bodyErrors, credentialErrors, limitErrors, type Operation, restUser, rpcStatuses } from './operation.ts';

const tag = 'Schedules and incoming webhooks';

/** What starts runs without a caller of one's own: webhooks, and schedules. */
export const automaticStartOperations: Operation[] = [
  {
    operationId: 'receiveWebhook',
    method: 'post',
    path: '/deployment/hook/{token}',
    tag,
    summary: 'Starts the deployment of an incoming webhook',
    description:
      'For whom the owner has given the URL: starts the deployment, as its owner, with the body as the input that the webhook names: ' +
      'JSON (`application/json`, or a type in `+json`), or a form (`application/x-www-form-urlencoded`) as an object of strings. ' +
      'A request with an id (as the scheme of its sender gives it, else in the header that `hmac` names, `webhook-id`, `Idempotency-Key` or `X-GitHub-Delivery`) starts one run within 24 hours, ' +
      'however often it comes, and is answered alike. If the webhook has `verification`, the request has to prove who sends it. ' +
      'A token that is unknown or deleted, and one of a webhook that is not active, are one and the same 404 `webhook_not_found`.',
    security: [[]],
    parameters: ['webhookToken'],
    body: {
      schema: { description: 'Any JSON, 64 levels deep at most, without two members of one name in an object.' },
      isRequired: true,
      examples: { push: { ref: 'refs/heads/main', repository: { full_name: 'octo-org/octo-repo' } } },
    },
    answers: {
      202: {
        description: 'The run, queued; for a request that came before, the earlier one.',
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
      ...limitErrors,
      'too_many_requests',
      'internal',
      'service_unavailable',
    ],
  },
  {
    operationId: 'rpcCreateWebhook',
    method: 'post',
    path: '/rest/v1/rpc/create_webhook',
    tag,
    summary: 'Makes an incoming webhook',
    description:
      'Its URL starts a deployment, named by `flow` and `tag` or by `deployment_id`, as the calling user. The URL is shown this once. ' +
      '`flow_webhooks` lists webhooks; its owner changes all but `prefix`, `verification`, `hmac` and what the system keeps, and deletes a row to end it.',
    security: restUser,
    body: {
      schema: ref('CreateWebhookArguments'),
      isRequired: true,
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
        deployment: { deployment_id: DEPLOYMENT_ID, input: 'event' },
      },
    },
    answers: {
      200: {
        description: 'The webhook with its URL, which no later answer shows again.',
        schema: ref('NewWebhook'),
        example: { ...webhook, url: `https://project.example/functions/v1/deployment/hook/${WEBHOOK_TOKEN}` },
      },
    },
    errors: [
      ...credentialErrors,
      'request_invalid',
      'column_invalid',
      'inputs_invalid',
      'flow_not_found',
      'deployment_not_found',
      'quota_exceeded',
    ],
    nativeStatuses: rpcStatuses,
  },
  {
    operationId: 'rpcSetWebhookVerification',
    method: 'post',
    path: '/rest/v1/rpc/set_webhook_verification',
    tag,
    summary: 'Says how requests to an incoming webhook prove who sends them',
    description:
      'For senders that make their secret once they have the URL, and when a secret changes. Without `secret` every request is refused.',
    security: restUser,
    body: {
      schema: ref('SetWebhookVerificationArguments'),
      isRequired: true,
      examples: {
        stripe: { webhook_id: WEBHOOK_ID, verification: 'stripe', secret: 'whsec_of_the_endpoint' },
        none: { webhook_id: WEBHOOK_ID },
      },
    },
    answers: { 200: { description: 'The webhook.', schema: ref('Webhook'), example: webhook } },
    errors: [...credentialErrors, 'request_invalid', 'column_invalid', 'webhook_not_found'],
    nativeStatuses: rpcStatuses,
  },
  {
    operationId: 'rpcNextCronTimes',
    method: 'post',
    path: '/rest/v1/rpc/next_cron_times',
    tag,
    summary: 'Tells when a schedule would be due',
    description:
      'The next three times of a cron text by the clocks of a time zone, for people who write one. Nothing is stored.',
    security: restUser,
    body: {
      schema: ref('NextCronTimesArguments'),
      isRequired: true,
      examples: { weekdays: { cron: '30 6 * * MON-FRI', time_zone: 'Europe/Berlin' } },
    },
    answers: {
      200: {
        description: 'The times, the next one first.',
        schema: { type: 'array', maxItems: 3, items: { type: 'string', format: 'date-time' } },
        example: ['2026-11-23T05:30:00+00:00', '2026-11-24T05:30:00+00:00', '2026-11-25T05:30:00+00:00'],
      },
    },
    errors: [...credentialErrors, 'column_invalid'],
    nativeStatuses: rpcStatuses,
  },
  {
    operationId: 'postSchedules',
    method: 'post',
    path: '/rest/v1/flow_schedules',
    tag,
    summary: 'Stores schedules',
    description:
      'A schedule starts a deployment, named by `flow` and `tag` or by `deployment_id`, as the calling user, once for each planned time and at ' +
      'most 10 seconds after it. `GET`, `PATCH` and `DELETE /rest/v1/flow_schedules` read, change and delete them, with the filters of PostgREST.',
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
        description: 'They are stored. The rows with `Prefer: return=representation`, else an empty body.',
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
