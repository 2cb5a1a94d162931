import { ed25519 } from '@noble/curves/ed25519.js';
import { base58, base64 } from '@scure/base';
import type { Context } from 'hono';
import {
  type AnswerableRequest,
  type SubmitSignatureParams,
  submitSignatureParamsSchema,
  type SubmitSignatureResult,
} from '../../types/signature_request.ts';
import { ApiError, apiError, isErrorOf } from '../_shared/api_error.ts';
import { readBody } from '../_shared/body.ts';
import { type Credentials, readCredentials } from '../_shared/credentials.ts';
import type { Deps } from '../_shared/deps.ts';
import { findMessageChanges, type MessageChange } from '../_shared/message_changes.ts';

/** Bytes that a body may have: ten times what its members take. Anybody may send one. */
const MAX_BODY_BYTES = 16_384;

/** What is verified in place of a request that there is not: the caller shall not tell the difference by the time that it takes. */
const NO_REQUEST: AnswerableRequest = {
  id: '00000000-0000-0000-0000-000000000000',
  // Of a key pair that was made for this and thrown away.
  pubkey: 'A5PcVdxEAtRtUvvQ139KVtf8niSgDN9vfCrjW313wP4A',
  msg:
    'gAEAAgOG2RKwFnjAOxoCTpnDxq9Sbr1ZwYN459vmYhqomx4tXwMGRm/lIRcy/+ytunLDm+e8jOW7xfcSayxDmzpAAAAABUpTWpkpIQZNJOhxYNo4fHw1td28kruB5B+oQEEFRI0H' +
    'BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwIBAAkDZAAAAAAAAAACAAVoZWxsbwA=',
};

interface Verdict {
  /** What the message changes that it may not. */
  changes: MessageChange[];
  /** The key has signed the message; as strictly as RFC 8032 says, as the chain does. */
  isSigned: boolean;
}

/** Judges an answer. Both questions are always asked, so that the time says nothing of the answers. */
function judge(request: AnswerableRequest, { signature, new_msg }: SubmitSignatureParams): Verdict {
  const original = base64.decode(request.msg);
  const message = new_msg === undefined ? original : base64.decode(new_msg);
  const changes = new_msg === undefined ? [] : findMessageChanges(original, message, request.pubkey);
  return {
    changes: new_msg === request.msg ? [] : changes,
    isSigned: ed25519.verify(base58.decode(signature), message, base58.decode(request.pubkey), { zip215: false }),
  };
}

/** What is wrong with an answer, for those who see the run: transaction_changed, signature_invalid. */
function explain({ changes, isSigned }: Verdict, { pubkey }: AnswerableRequest): ApiError | undefined {
  const [first] = changes;
  if (first !== undefined) {
    return apiError(
      'transaction_changed',
      `new_msg is another transaction than the one to be signed: ${first.path}: ${first.message}.`,
      {
        details: changes,
        hint: 'Only the instructions of the compute budget may be changed, and only by the fee payer.',
      },
    );
  }
  if (isSigned) return undefined;
  return apiError('signature_invalid', `The signature is not that of ${pubkey} over the message.`, {
    hint: 'Sign the bytes of message; where the wallet signed other bytes, send them as new_msg.',
  });
}

/** The one answer to those who neither see the run nor hold the key: no such request, an answered one, a wrong signature. */
const notFound = (): ApiError =>
  apiError(
    'signature_request_not_found',
    'There is no such signature request, or the signature is not the one that it asks for.',
    {
      hint: "What is wrong is told to those who see the run: send the run's token, or an access token or API key.",
    },
  );

/** An error as those see it who hold the key, and may not see the run: without its state. */
const withoutDetails = (error: unknown): unknown =>
  error instanceof ApiError && error.status === 409
    ? new ApiError(error.status, { ...error.toBody(), details: null, hint: null }, { cause: error.cause })
    : error;

/**
 * `POST /signature/submit`: answers a signature request, and lets the run go on that waits for it. Nobody needs a credential: a
 * signature that holds is the proof. `pokeRunner` is called once the answer is stored.
 */
export const makeSubmitSignature = ({ config, rpc, serviceRpc, serviceRead }: Deps, pokeRunner: () => void) => {
  /** The request, if the caller sees its run; undefined for others, and for callers who show nothing that proves who they are. */
  const findAsCaller = async (
    { id, new_msg }: SubmitSignatureParams,
    { headers }: Credentials,
  ): Promise<AnswerableRequest | undefined> => {
    if (Object.keys(headers).length === 0) return undefined;
    try {
      return await rpc<AnswerableRequest>('signature_request_for_caller', { id, new_msg }, headers);
    } catch (error) {
      if (isErrorOf(error, 'signature_request_not_found')) return undefined;
      throw error;
    }
  };

  const store = ({ id, signature, new_msg }: SubmitSignatureParams) =>
    serviceRpc('answer_signature_request', { id, signature, new_msg });

  const answerAsStranger = async (params: SubmitSignatureParams): Promise<void> => {
    const [found] = await serviceRead<AnswerableRequest>(
      'signature_requests',
      `select=id,pubkey,msg&id=eq.${params.id}`,
    );
    const { changes, isSigned } = judge(found ?? NO_REQUEST, params);
    if (found === undefined || changes.length > 0 || !isSigned) throw notFound();
    await store(params).catch((error: unknown) => {
      throw withoutDetails(error);
    });
  };

  return async (context: Context): Promise<Response> => {
    const credentials = readCredentials(context.req.raw, config);
    const params = await readBody(context.req.raw, submitSignatureParamsSchema, MAX_BODY_BYTES);
    const request = await findAsCaller(params, credentials);
    if (request === undefined) {
      await answerAsStranger(params);
    } else {
      const error = explain(judge(request, params), request);
      if (error !== undefined) throw error;
      await store(params);
    }
    pokeRunner();
    const result: SubmitSignatureResult = { success: true };
    return context.json(result);
  };
};
