import { base64 } from '@scure/base';
import { z } from 'zod';
import { decodeBase58 } from './values/base58.ts';

/** Bytes that a transaction has at most, and so its message, too. Source: Solana, PACKET_DATA_SIZE. */
export const MAX_MESSAGE_BYTES = 1232;

/** What a signature request asks to sign. */
export type SignatureRequestKind = 'transaction' | 'message';

/** What a request asks for, as `GET /flow/signature_request/{flow_run_id}` answers. */
export interface PendingSignatureRequest {
  /** Random, below 2^53. */
  id: number;
  /** What has to be signed: the message of a transaction, or any other message. No node asks for the latter yet. */
  kind: SignatureRequestKind;
  /** When the request was made, in milliseconds since 1970. */
  time: number;
  /** Base58 of the key that has to sign. */
  pubkey: string;
  /** Base64 of the bytes to sign: a serialized v0 message, not a transaction. */
  message: string;
  /** For how many seconds after `time` it can be answered. */
  timeout: number;
  /** The run that asks: the one that was started, or one that it called. */
  flow_run_id: string;
  /** Signatures that are known already; null when there are none. */
  signatures: { pubkey: string; signature: string }[] | null;
}

/** The open signature request of a run, as `rpc('pending_signature_request')` answers. */
export interface PendingSignatureResult {
  /** The oldest request that can be answered; null when there is none now. */
  request: PendingSignatureRequest | null;
  /** Whether runs have been queued for longer than a poke of the runner takes. */
  is_overdue: boolean;
}

/** A request that can be answered, as `rpc('signature_request_for_caller')` answers. */
export interface AnswerableRequest {
  id: number;
  pubkey: string;
  /** Base64 of the bytes to sign. */
  msg: string;
}

/**
 * The state of a request that can't be answered any more: the `details` of signature_request_answered and
 * signature_request_expired.
 */
export interface SignatureRequestState {
  /** The answer, base58; null when there is none. */
  signature: string | null;
  /** Base64 of the message that was signed instead; null when it is the one of the request. */
  new_msg: string | null;
  /** ISO 8601. */
  expires_at: string;
  /** The state of the run that was started. */
  run_status: string;
}

/** The bytes of canonical, padded base64; undefined for any other text. */
function decodeBase64(text: string): Uint8Array | undefined {
  try {
    return base64.decode(text);
  } catch {
    return undefined;
  }
}

const isMessage = (text: string): boolean => {
  // Longer text is not decoded, to save time.
  if (text.length > Math.ceil(MAX_MESSAGE_BYTES / 3) * 4) return false;
  const bytes = decodeBase64(text);
  return bytes !== undefined && bytes.length > 0 && bytes.length <= MAX_MESSAGE_BYTES;
};

const WRONG_ID = 'must be the id of a signature request, an integer from 0 to 2^53-1';
export const requestIdSchema = z.int(WRONG_ID).min(0, WRONG_ID);

/** The body of a submit. */
export const submitSignatureParamsSchema = z.strictObject({
  /** The signature request. */
  id: requestIdSchema,
  /** Base58 of the 64 bytes with which the asked key signs. */
  signature: z.string().refine((text) => decodeBase58(text, 64) !== undefined, 'must be base58 of 64 bytes'),
  /** Base64 of the message that the wallet signed, if it changed the request's. */
  new_msg: z.string().refine(isMessage, `must be base64 of 1 to ${MAX_MESSAGE_BYTES} bytes`).optional(),
});

export type SubmitSignatureParams = z.infer<typeof submitSignatureParamsSchema>;

/** The answer to a submit. */
export interface SubmitSignatureResult {
  success: true;
}
