import { base64 } from '@scure/base';
import { z } from 'zod';
import { decodeBase58 } from './values/base58.ts';
import { runLimits } from './limits/runs.ts';

/** The largest transaction, and so the largest message, in bytes. */
export const MAX_MESSAGE_BYTES = runLimits.transaction_bytes.value;

/** The kind of message that a signature request asks to sign. */
export type SignatureRequestKind = 'transaction_message' | 'message';

/** A signature request, as returned by `GET /flow/signature_request/{flow_run_id}`. */
export interface PendingSignatureRequest {
  /** Random, below 2^53. */
  id: number;
  /**
   * `transaction_message` if the message belongs to a transaction, `message` for any other message. So far, nodes ask only for
   * signatures of transactions.
   */
  kind: SignatureRequestKind;
  /** The time of the request, in milliseconds since 1970. */
  time: number;
  /** Base58 of the key that must sign. */
  pubkey: string;
  /** Base64 of the bytes to sign: a serialized v0 message, not a transaction. */
  message: string;
  /** For how many seconds after `time` the request can be answered. */
  timeout: number;
  /** The run that asks: the started run, or one that it called. */
  flow_run_id: string;
  /** Signatures that are already known; null if no signature is known. */
  signatures: { pubkey: string; signature: string }[] | null;
}

/** The open signature request of a run, as returned by `rpc('pending_signature_request')`. */
export interface PendingSignatureResult {
  /** The oldest request that can be answered; null if no request can be answered now. */
  request: PendingSignatureRequest | null;
  /** True if some run has waited in the queue for 2 s or longer. The Edge Function `runner` should then be called. */
  is_overdue: boolean;
}

/** A request that can be answered, as returned by `rpc('signature_request_for_caller')`. */
export interface AnswerableRequest {
  id: number;
  pubkey: string;
  /** Base64 of the bytes to sign. */
  msg: string;
}

/**
 * The state of a request that can no longer be answered, as in the `details` of the errors signature_request_answered
 * and signature_request_expired.
 */
export interface SignatureRequestState {
  /** The answer in base58; null without an answer. */
  signature: string | null;
  /**
   * Base64 of the message that the wallet signed instead of the request's message; null if it signed the request's
   * message.
   */
  new_msg: string | null;
  /** ISO 8601. */
  expires_at: string;
  /** The status of the started run. */
  run_status: string;
}

/** Decodes canonical, padded base64; undefined for any other text. */
function decodeBase64(text: string): Uint8Array | undefined {
  try {
    return base64.decode(text);
  } catch {
    return undefined;
  }
}

const isMessage = (text: string): boolean => {
  // Longer text is refused without decoding.
  if (text.length > Math.ceil(MAX_MESSAGE_BYTES / 3) * 4) return false;
  const bytes = decodeBase64(text);
  return bytes !== undefined && bytes.length > 0 && bytes.length <= MAX_MESSAGE_BYTES;
};

const WRONG_ID = 'must be the id of a signature request, an integer from 0 to 2^53-1';
export const requestIdSchema = z.int(WRONG_ID).min(0, WRONG_ID);

/** The body of a submission. */
export const submitSignatureParamsSchema = z.strictObject({
  /** The id of the signature request. */
  id: requestIdSchema,
  /** The signature by the key that the request names: 64 bytes as base58. */
  signature: z.string().refine((text) => decodeBase58(text, 64) !== undefined, 'must be base58 of 64 bytes'),
  /** Base64 of the message that the wallet signed, if it changed the request's message. */
  new_msg: z.string().refine(isMessage, `must be base64 of 1 to ${MAX_MESSAGE_BYTES} bytes`).optional(),
});

export type SubmitSignatureParams = z.infer<typeof submitSignatureParamsSchema>;

/** The answer to a submission. */
export interface SubmitSignatureResult {
  success: true;
}
