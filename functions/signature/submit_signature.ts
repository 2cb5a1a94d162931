import { ed25519 } from '@noble/curves/ed25519.js';
import { base58, base64 } from '@scure/base';
import type { Context } from 'hono';
import {
  type AnswerableRequest,
  type SubmitSignatureParams,
  submitSignatureParamsSchema,
  type SubmitSignatureResult,
} from '../../types/signature_request.ts';
import { ApiError, apiError, isErrorOf } from '../../platform/api_error.ts';
import { readBody } from '../_shared/body.ts';
import { type Credentials, readCredentials } from '../_shared/credentials.ts';
import type { Deps } from '../_shared/deps.ts';
import { findMessageChanges, type MessageChange } from '../../platform/solana_message_changes.ts';
import { requestLimits } from '../../types/limits/requests.ts';

/** The limit of a body, in bytes: ten times the space of its members. It is small, because anybody may send one. */
const MAX_BODY_BYTES = requestLimits.small_body_bytes.value;

/**
 * An invented request. If no request has the given id, the signature is checked against this one. So the time of the
 * answer does not reveal whether a request exists.
 */
const NO_REQUEST: AnswerableRequest = {
  id: 0,
  // The public key of a discarded key pair that was made for this constant.
  pubkey: 'A5PcVdxEAtRtUvvQ139KVtf8niSgDN9vfCrjW313wP4A',
  msg:
    'gAEAAgOG2RKwFnjAOxoCTpnDxq9Sbr1ZwYN459vmYhqomx4tXwMGRm/lIRcy/+ytunLDm+e8jOW7xfcSayxDmzpAAAAABUpTWpkpIQZNJOhxYNo4fHw1td28kruB5B+oQEEFRI0H' +
    'BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwIBAAkDZAAAAAAAAAACAAVoZWxsbwA=',
};

interface Verdict {
  /** The forbidden changes of the message. */
  changes: MessageChange[];
  /** True if the key has signed the message, by the strict rules of RFC 8032, which the chain applies. */
  isSigned: boolean;
}

/**
 * Judges an answer. Always checks both the message and the signature, so that the time of the answer does not reveal
 * which of the two is wrong.
 */
function judge(request: AnswerableRequest, { signature, new_msg }: SubmitSignatureParams): Verdict {
  const original = base64.decode(request.msg);
  const message = new_msg === undefined ? original : base64.decode(new_msg);
  const changes = new_msg === undefined ? [] : findMessageChanges(original, message, request.pubkey);
  return {
    changes: new_msg === request.msg ? [] : changes,
    isSigned: ed25519.verify(base58.decode(signature), message, base58.decode(request.pubkey), { zip215: false }),
  };
}

/** Makes the error of a wrong answer, for callers who may see the run: transaction_changed or signature_invalid. */
function explain({ changes, isSigned }: Verdict, { pubkey }: AnswerableRequest): ApiError | undefined {
  const [first] = changes;
  if (first !== undefined) {
    return apiError(
      'transaction_changed',
      `new_msg changes a part of the transaction that must stay as it is: ${first.path}: ${first.message}.`,
      {
        details: changes,
        hint: 'Only the instructions of the compute budget may be changed, and only by the fee payer.',
      },
    );
  }
  if (isSigned) return undefined;
  return apiError('signature_invalid', `signature must be a signature of ${pubkey} over the message.`, {
    hint: 'Sign the bytes of message. If the wallet signed other bytes, send them as new_msg.',
  });
}

/**
 * The error for every wrong answer of callers who may not see the run. It does not reveal whether the request exists.
 */
const notFound = (): ApiError =>
  apiError(
    'signature_request_not_found',
    'There is no such signature request, or signature is not a signature of its key.',
    {
      hint:
        'To learn which of the two it is, prove that you may see the run: send its token, an access token or an API key.',
    },
  );

/** Removes the state of the run from an error. Used for callers who hold the signer's key but may not see the run. */
const withoutDetails = (error: unknown): unknown =>
  error instanceof ApiError && error.status === 409
    ? new ApiError(error.status, { ...error.toBody(), details: null, hint: null }, { cause: error.cause })
    : error;

/**
 * `POST /signature/submit`: answers a signature request, so that its run continues. It needs no credential, because a
 * valid signature is the proof. `pokeRunner` is called after the answer is stored.
 */
export const makeSubmitSignature = ({ config, rpc, serviceRpc, serviceRead }: Deps, pokeRunner: () => void) => {
  /** Returns the request if the caller may see its run, otherwise undefined. A caller without credentials never may. */
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
