import type { ErrorCode } from '../../../../types/errors.ts';
import { FLOW_RUN_ID, pendingRequest, PUBLIC_KEY, REQUEST_ID, SIGNATURE } from '../examples.ts';
import { ref } from '../schemas/json_schema.ts';
import { bodyErrors, type Operation, restRunReader, routeErrors, rpc, runReader } from './operation.ts';

/** The errors of an answer to a signature request, except those about the signature itself. */
const answerErrors: ErrorCode[] = [
  'transaction_changed',
  'signature_request_not_found',
  'signature_request_answered',
  'signature_request_expired',
];

/** The operations on signature requests, of the Edge Functions and of PostgREST. */
export const signatureOperations: Operation[] = [
  {
    operationId: 'readSignatureRequest',
    method: 'get',
    path: '/flow/signature_request/{flow_run_id}',
    tag: 'Signatures',
    summary: 'Waits for a signature request of a run',
    description:
      'Returns the oldest open request of the run or of any run that it called. The client lets the wallet sign `message` and sends the ' +
      'signature to `POST /signature/submit`. The owner of the flow, the starter of the run and the holder of the run token may call it.',
    security: runReader,
    parameters: ['flowRunId', 'wait'],
    answers: {
      200: {
        description: 'The message to sign.',
        schema: ref('PendingSignatureRequest'),
        example: pendingRequest,
      },
      204: { description: 'The run has not ended, and needs no signature now; ask again.' },
    },
    errors: [...routeErrors, 'flow_run_not_found', 'signature_request_not_found'],
  },
  {
    operationId: 'submitSignature',
    method: 'post',
    path: '/signature/submit',
    tag: 'Signatures',
    summary: 'Answers a signature request',
    description:
      'Verifies and stores the signature, and lets the waiting run continue. A refused answer leaves the request ' +
      'open. No credential is needed, because a valid signature is the proof. The owner of the flow, the user whose key is asked, the ' +
      'starter of the run and the holder of its token learn the fault of an invalid signature. Everybody else gets the same 404 ' +
      'as for a missing request. For an answered or expired request, they get a 409 without details.',
    security: [...runReader, []],
    body: {
      schema: ref('SubmitSignatureParams'),
      isRequired: true,
      examples: {
        signed: { id: REQUEST_ID, signature: SIGNATURE },
        changed: { id: REQUEST_ID, signature: SIGNATURE, new_msg: pendingRequest.message },
      },
    },
    answers: {
      200: { description: 'The answer is stored.', schema: ref('SubmitSignatureResult'), example: { success: true } },
    },
    errors: [
      ...routeErrors.filter((code) => code !== 'unauthenticated'),
      ...bodyErrors,
      'signature_invalid',
      ...answerErrors,
    ],
  },
  rpc('pending_signature_request', {
    tag: 'Signatures',
    summary: 'Reads the signature request of a run',
    description: 'Like `GET /flow/signature_request/{flow_run_id}`, but answers at once.',
    security: restRunReader,
    examples: { run: { flow_run_id: FLOW_RUN_ID } },
    answers: {
      200: {
        description: 'The oldest open request; null if there is none now.',
        schema: ref('PendingSignatureResult'),
        example: { request: pendingRequest, is_overdue: false },
      },
    },
    errors: ['flow_run_not_found', 'signature_request_not_found'],
  }),
  rpc('signature_request_for_caller', {
    tag: 'Signatures',
    summary: 'Reads a signature request that can be answered',
    description: 'Checks whether the request can be answered. `POST /signature/submit` takes the answer.',
    security: restRunReader,
    examples: { request: { id: REQUEST_ID } },
    answers: {
      200: {
        description: 'The message to sign, and the key that must sign.',
        schema: ref('AnswerableRequest'),
        example: { id: REQUEST_ID, pubkey: PUBLIC_KEY, msg: pendingRequest.message },
      },
    },
    errors: [...answerErrors],
  }),
];
