import { ed25519 } from '@noble/curves/ed25519.js';
import { base58, base64 } from '@scure/base';
import type { Context } from 'hono';
import {
  type AnswerableRequest,
  submitSignatureParamsSchema,
  type SubmitSignatureResult,
} from '../../types/signature_request.ts';
import { apiError } from '../_shared/api_error.ts';
import { readBody } from '../_shared/body.ts';
import { readCredentials } from '../_shared/credentials.ts';
import type { Deps } from '../_shared/deps.ts';
import { findMessageChanges } from '../_shared/message_changes.ts';

/** Throws transaction_changed for a message that the key may not sign instead of the request's. */
function checkMessage({ msg, pubkey }: AnswerableRequest, message: string): void {
  if (message === msg) return;
  const changes = findMessageChanges(base64.decode(msg), base64.decode(message), pubkey);
  const [first] = changes;
  if (first === undefined) return;
  throw apiError(
    'transaction_changed',
    `new_msg is another transaction than the one to be signed: ${first.path}: ${first.message}.`,
    {
      details: changes,
      hint: 'Only the instructions of the compute budget may be changed, and only by the fee payer.',
    },
  );
}

/** Throws signature_invalid unless the key has signed the message; as strictly as RFC 8032 says, as the chain does. */
function checkSignature(signature: string, message: string, pubkey: string): void {
  const bytes = base64.decode(message);
  if (ed25519.verify(base58.decode(signature), bytes, base58.decode(pubkey), { zip215: false })) return;
  throw apiError('signature_invalid', `The signature is not that of ${pubkey} over the message.`, {
    hint: 'Sign the bytes of message; where the wallet signed other bytes, send them as new_msg.',
  });
}

/**
 * `POST /signature/submit`: answers a signature request, and lets the run go on that waits for it. `pokeRunner` is called once the
 * answer is stored.
 */
export const makeSubmitSignature =
  ({ config, rpc, serviceRpc }: Deps, pokeRunner: () => void) => async (context: Context): Promise<Response> => {
    const { id, signature, new_msg } = await readBody(context.req.raw, submitSignatureParamsSchema);
    const { headers } = readCredentials(context.req.raw, config);
    const request = await rpc<AnswerableRequest>('signature_request_for_caller', { id, new_msg }, headers);
    const message = new_msg ?? request.msg;
    checkMessage(request, message);
    checkSignature(signature, message, request.pubkey);
    await serviceRpc('answer_signature_request', { id, signature, new_msg });
    pokeRunner();
    const result: SubmitSignatureResult = { success: true };
    return context.json(result);
  };
