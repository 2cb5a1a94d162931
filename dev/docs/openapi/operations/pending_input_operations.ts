import type { ErrorCode } from '../../../../types/errors.ts';
import { ref } from '../schemas/json_schema.ts';
import { bodyErrors, credentialErrors, type Operation, routeErrors } from './operation.ts';

/** The errors of every answer to a pending input. These routes need no credential. */
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
      '`pending_inputs`; its token is the only credential. The URL accepts one answer. The answer is the same 404 if the token is ' +
      'unknown or expired, or if its run has ended or is being stopped.',
    security: [[]],
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
    security: [[]],
    parameters: ['inputToken', 'answerKey'],
    answers: {
      200: { description: 'The input is cancelled.', schema: ref('AnswerInputResult'), example: { success: true } },
    },
    errors: [...answerErrors, 'request_invalid'],
  },
];
