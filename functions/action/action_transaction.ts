import { base64 } from '@scure/base';
import { apiError } from '../../platform/api_error.ts';
import { readMessage } from '../../platform/solana_message.ts';

const SIGNATURE_BYTES = 64;

/** The serialized form of a transaction: the number of signatures, the signatures, the message. */
interface Wire {
  bytes: Uint8Array;
  signatures: Uint8Array[];
  message: Uint8Array;
}

/** Parses the transaction that a run has output; undefined for any other text. */
function readWire(text: string): Wire | undefined {
  let bytes: Uint8Array;
  try {
    bytes = base64.decode(text);
  } catch {
    return undefined;
  }
  // A transaction has far fewer than 127 signatures, so their number takes one byte.
  const count = bytes[0] ?? 0;
  const end = 1 + count * SIGNATURE_BYTES;
  if (count === 0 || count > 127 || bytes.length <= end) return undefined;
  const signatures = Array.from(
    { length: count },
    (_, index) => bytes.subarray(1 + index * SIGNATURE_BYTES, 1 + (index + 1) * SIGNATURE_BYTES),
  );
  return { bytes, signatures, message: bytes.subarray(end) };
}

/** Returns the base64 message of a transaction that a run has output. */
export const messageOfWire = (text: string): string => base64.encode(readWire(text)?.message ?? new Uint8Array());

const isEmpty = (signature: Uint8Array): boolean => signature.every((byte) => byte === 0);

/**
 * Converts the run's transaction into the form for the action's answer. The specification's SDK reads only legacy
 * messages. So if nobody has signed and the message uses no lookup table, the message is converted to its legacy form.
 * Any other message stays as it is: signatures cover its bytes, or the legacy form can't name lookup tables. Wallets
 * must refuse a transaction in which another signature than their own is missing, so this function throws for such a
 * transaction.
 */
export function toActionTransaction(text: string, account: string): string {
  const wire = readWire(text);
  const message = wire && readMessage(wire.message);
  if (wire === undefined || message === undefined) {
    throw apiError(
      'action_failed',
      'The action made no transaction. The author of the action has to look into the run.',
    );
  }
  const missing = message.signers.filter((_, index) => isEmpty(wire.signatures[index] ?? new Uint8Array()));
  if (missing.length !== 1 || missing[0] !== account) {
    throw apiError(
      'action_failed',
      "The action made a transaction that your wallet alone can't sign. The author has to fix the action.",
    );
  }
  if (message.version === 'legacy' || message.lookups.length > 0 || message.signers.length > 1) return text;
  // A message of version 0 begins with a version byte and ends with the list of lookup tables. Between them is the
  // legacy message. An empty list is one byte, the length zero.
  const legacy = wire.message.subarray(1, -1);
  return base64.encode(Uint8Array.from([1, ...new Uint8Array(SIGNATURE_BYTES), ...legacy]));
}
