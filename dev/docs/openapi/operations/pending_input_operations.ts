import type { ErrorCode } from '../../../../types/errors.ts';
import { ref } from '../schemas/json_schema.ts';
import { bodyErrors, credentialErrors, type Operation, restRunReader, routeErrors, rpc } from './operation.ts';

/** The credentials of an answer: the token of the URL alone, or also that of somebody who may answer. */
const answering: Operation['security'] = [[], ['accessToken'], ['apiKey'], ['runToken']];

/** The errors of every answer to a pending input. A credential that is not valid counts as none. */
const answerErrors: ErrorCode[] = [
  ...routeErrors.filter((code) => code !== 'request_invalid' && !credentialErrors.includes(code)),
  'idempotency_key_invalid',
  'pending_input_not_found',
  'pending_input_answered',
];

/** The operations on pending inputs, of the Edge Function `flow`. */
export const pendingInputOperations: Operation[] = [
  {
    operationId: 'submitInput',
    method: 'post',
    path: '/flow/submit/{token}',
    tag: 'Pending inputs',
    summary: 'Submits the value that a run waits for',
    description:
      'A node `api_input` waits for the value. The value becomes the output of the node, and the run continues. The whole URL is the `url` of the row in ' +
      '`pending_inputs`; unless `answered_by` of the node is `anyone_with_the_link`, the request also needs the credential of somebody who may answer. The URL accepts one answer. ' +
      'The answer is the same 404 if the token is unknown or expired, if the caller may not answer, or if its run has ended or is being stopped.',
    security: answering,
    parameters: ['inputToken', 'answerKey'],
    body: {
      schema: ref('SubmitInputParams'),
      isRequired: true,
      examples: { value: { value: { B: true } }, values: { values: { approved: true, by: 'Ada' } } },
    },
    answers: {
      200: { description: 'The value is stored.', schema: ref('AnswerInputResult'), example: { success: true } },
    },
    errors: ['request_invalid', ...answerErrors, ...bodyErrors, 'inputs_invalid', 'inputs_too_large', 'answer_invalid'],
  },
  {
    operationId: 'cancelInput',
    method: 'delete',
    path: '/flow/submit/{token}',
    tag: 'Pending inputs',
    summary: 'Cancels a pending input',
    description: 'The node `api_input` fails with `input_cancelled`, and the run continues.',
    security: answering,
    parameters: ['inputToken', 'answerKey'],
    answers: {
      200: { description: 'The input is cancelled.', schema: ref('AnswerInputResult'), example: { success: true } },
    },
    errors: [...answerErrors, 'request_invalid'],
  },
  rpc('input_answerer', {
    tag: 'Pending inputs',
    summary: 'Tells whether the caller may answer an input',
    description: 'The Edge Function `flow` calls it before an answer, with the credentials of the caller.',
    security: [['projectKey'], ...restRunReader],
    examples: { token: { token: `fi_${'A'.repeat(43)}` } },
    answers: {
      200: {
        description: 'The caller, who may answer.',
        schema: ref('InputAnswerer'),
        example: { user_id: '3f0c8d1e-0a51-4b57-9c52-3a5b8a1c0001', run_id: null },
      },
    },
    errors: ['pending_input_not_found'],
  }),
];
