import { base58, base64 } from '@scure/base';
import type { PendingSignatureRequest } from '../../types/signature_request.ts';
import { requireTexts } from '../requests/read_answer.ts';
import { FlowError } from '../flow_error.ts';
import type { FlowClient, RunReference, SignatureOptions } from '../flow_client.ts';
import { pause, type Send } from '../requests/request.ts';
import { runRoute } from './run_reference.ts';

const WAIT_SECONDS = 20;
const WAIT_MARGIN_MS = 20_000;
/**
 * The shortest time between two requests, in milliseconds. Without this limit, the loop would send requests without a
 * pause while a signature request stays open.
 */
const MIN_LOOK_MS = 1_000;

/**
 * Returns undefined if the error says that the run has ended, so that it asks for no more signatures. Throws any other
 * error.
 */
function undefinedAtEnd(error: unknown): undefined {
  if (!(error instanceof FlowError) || error.code !== 'signature_request_not_found') throw error;
}

/** The methods that read signature requests and answer them. */
export function makeSigning(
  send: Send,
): Pick<FlowClient, 'signatureRequests' | 'submitSignature'> {
  /** Waits for the oldest open signature request of a run. Returns null if there is none within the time. */
  const pending = async (run: RunReference<object>, seconds: number, signal?: AbortSignal) => {
    const { body } = await send({
      ...runRoute('signature_request', run, `?wait=${seconds.toFixed(3)}`),
      timeoutMs: seconds * 1000 + WAIT_MARGIN_MS,
      isRepeatable: true,
      signal,
    });
    if (body === null) return null;
    requireTexts(body, ['pubkey', 'message'], 'the signature request');
    // SAFETY: `requireTexts` has checked `pubkey` and `message`. The id is checked below.
    const request = body as PendingSignatureRequest;
    if (!Number.isSafeInteger(request.id)) {
      throw new FlowError({
        code: 'answer_invalid',
        message: 'The answer to the signature request has no integer `id`.',
      });
    }
    return request;
  };

  async function* signatureRequests(run: RunReference<object>, options: SignatureOptions = {}) {
    const { signal, timeoutMs = Infinity } = options;
    const deadline = Date.now() + timeoutMs;
    let last: number | undefined;
    for (;;) {
      const began = Date.now();
      const seconds = Math.max(0, Math.min(WAIT_SECONDS, (deadline - began) / 1000));
      const request = await pending(run, seconds, signal).catch(undefinedAtEnd);
      if (request === undefined) return;
      if (request !== null && request.id !== last) {
        last = request.id;
        yield request;
        continue;
      }
      if (Date.now() >= deadline) return;
      await pause(Math.max(0, Math.min(began + MIN_LOOK_MS, deadline) - Date.now()), signal);
    }
  }

  return {
    signatureRequests,
    submitSignature: async (id, signature, { newMessage, signal } = {}) => {
      const body = {
        id,
        signature: typeof signature === 'string' ? signature : base58.encode(signature),
        ...(newMessage !== undefined && {
          new_msg: typeof newMessage === 'string' ? newMessage : base64.encode(newMessage),
        }),
      };
      await send({ method: 'POST', path: '/functions/v1/signature/submit', body: JSON.stringify(body), signal });
    },
  };
}
