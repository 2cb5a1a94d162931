import type { ErrorCode } from '../../../../types/errors.ts';
import { action, ACTION_PATH, actionTransaction, completedAction, PUBLIC_KEY, SIGNATURE } from '../examples.ts';
import { ref } from '../schemas/json_schema.ts';
import { bodyErrors, limitErrors, type Operation } from './operation.ts';

/** No credential, because a wallet that opens a link has none. */
const nobody = [[]];

const everyError: ErrorCode[] = ['internal', 'service_unavailable'];

const whatIsAnAction =
  'An action is a deployment that anybody may start (`start_permission` `Anonymous`) and that outputs its transaction (`output_instructions`). For ' +
  'every other deployment, and for a malformed id, the answer is the same 404.';
const getDescription =
  `Returns the form for a wallet, with a field for each input except the input for the wallet itself. ${whatIsAnAction} ` +
  'Query parameters with the names of inputs fill in these inputs. The header `X-Blockchain-Ids` names the chain. On every answer of this function, the header ' +
  '`X-Action-Version` names the version of the Solana Actions specification.';
const postDescription =
  'Starts the deployment as an unauthenticated caller with this public key, waits up to 25 s for its transaction, and returns the transaction. ' +
  'Parameters are in the query or in `data`. If a parameter is in both, `data` wins. The address in the form has an order id. With this id, ' +
  `the same request within a minute returns the same run. ${whatIsAnAction}`;

const get = {
  method: 'get',
  tag: 'Actions',
  summary: 'Shows an action',
  description: getDescription,
  security: nobody,
} as const;
const post = {
  method: 'post',
  tag: 'Actions',
  summary: 'Makes the transaction of an action',
  description: postDescription,
  security: nobody,
} as const;

const getAnswers: Operation['answers'] = {
  200: { description: 'The form for a wallet.', schema: ref('ActionGetResult'), example: action },
};
const getErrors: ErrorCode[] = ['inputs_invalid', 'deployment_not_found', 'action_failed', ...everyError];
const postAnswers: Operation['answers'] = {
  200: {
    description: 'The transaction, for the wallet to sign and send.',
    schema: ref('ActionPostResult'),
    example: actionTransaction,
  },
};
const postBody: Operation['body'] = {
  schema: ref('ActionPostParams'),
  isRequired: true,
  examples: { wallet: { account: PUBLIC_KEY }, parameters: { account: PUBLIC_KEY, data: { order: '1042' } } },
};
const postErrors: ErrorCode[] = [
  'request_invalid',
  ...bodyErrors,
  'inputs_invalid',
  'deployment_not_found',
  'action_failed',
  ...limitErrors,
  ...everyError,
];

/** The operations of the function `action`, for wallets. */
export const actionOperations: Operation[] = [
  {
    operationId: 'readActionsJson',
    method: 'get',
    path: '/action/actions.json',
    tag: 'Actions',
    summary: "Maps a site's pages to actions",
    description:
      "For the root of a site. The rules map the site's pages /action/… to the actions, and the actions' own addresses to themselves.",
    security: nobody,
    answers: {
      200: {
        description: 'The rules.',
        schema: ref('ActionsJson'),
        example: {
          rules: [{ pathPattern: '/action/**', apiPath: 'https://example.supabase.co/functions/v1/action/**' }],
        },
      },
    },
    errors: ['method_not_allowed', 'internal'],
  },
  {
    operationId: 'readActionIcon',
    method: 'get',
    path: '/action/icon.svg',
    tag: 'Actions',
    summary: 'Reads the icon for actions without an icon of their own',
    description: 'A drawn picture.',
    security: nobody,
    answers: {
      200: {
        description: 'The picture.',
        schema: { type: 'string' },
        example: '<svg xmlns="http://www.w3.org/2000/svg"/>',
        mediaTypes: ['image/svg+xml'],
      },
    },
    errors: ['method_not_allowed', 'internal'],
  },
  {
    operationId: 'tellActionSent',
    method: 'post',
    path: '/action/sent',
    tag: 'Actions',
    summary: 'Reports the outcome of an action',
    description:
      "A wallet calls this route after it has sent the transaction. The address is `links.next` of the action's answer. The route " +
      'looks for the transaction on the chain for 15 s. It can be called at most 20 times for a run.',
    security: nobody,
    parameters: ['sentToken'],
    body: {
      schema: ref('SentActionParams'),
      isRequired: true,
      examples: { sent: { account: PUBLIC_KEY, signature: SIGNATURE } },
    },
    answers: {
      200: {
        description: 'The outcome of the transaction; `error` describes a failure.',
        schema: ref('CompletedAction'),
        example: completedAction,
      },
    },
    errors: [
      'request_invalid',
      ...bodyErrors,
      'token_invalid',
      'flow_run_not_found',
      'action_lookups_limit',
      ...everyError,
    ],
  },
  {
    ...get,
    operationId: 'readAction',
    path: ACTION_PATH,
    parameters: ['deploymentIdInPath'],
    answers: getAnswers,
    errors: getErrors,
  },
  {
    ...post,
    operationId: 'postAction',
    path: ACTION_PATH,
    parameters: ['deploymentIdInPath'],
    body: postBody,
    answers: postAnswers,
    errors: postErrors,
  },
  {
    ...get,
    operationId: 'readTaggedAction',
    path: '/action/{flow_id}/{tag}',
    parameters: ['flowId', 'tagInPath'],
    answers: getAnswers,
    errors: getErrors,
  },
  {
    ...post,
    operationId: 'postTaggedAction',
    path: '/action/{flow_id}/{tag}',
    parameters: ['flowId', 'tagInPath'],
    body: postBody,
    answers: postAnswers,
    errors: postErrors,
  },
];
