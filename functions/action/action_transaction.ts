import { base64 } from '@scure/base';
import { apiError } from '../_shared/api_error.ts';
import { readMessage } from '../_shared/solana_message.ts';

const SIGNATURE_BYTES = 64;

/** The wire format of a transaction: the number of signatures, the signatures, the message. */
interface Wire {
  bytes: Uint8Array;
  signatures: Uint8Array[];
  message: Uint8Array;
}

/** Reads a transaction that a run put out; undefined when it is none. */
function readWire(text: string): Wire | undefined {
  let bytes: Uint8Array;
  try {
    bytes = base64.decode(text);
  } catch {
    return undefined;
  }
  // A transaction has far fewer signatures than the 127 for which the number takes one byte.
  const count = bytes[0] ?? 0;
  const end = 1 + count * SIGNATURE_BYTES;
  if (count === 0 || count > 127 || bytes.length <= end) return undefined;
  const signatures = Array.from(
    { length: count },
    (_, index) => bytes.subarray(1 + index * SIGNATURE_BYTES, 1 + (index + 1) * SIGNATURE_BYTES),
  );
  return { bytes, signatures, message: bytes.subarray(end) };
}

/** The message of a transaction that a run put out, base64. */
export const messageOfWire = (text: string): string => base64.encode(readWire(text)?.message ?? new Uint8Array());

const isEmpty = (signature: Uint8Array): boolean => signature.every((byte) => byte === 0);

/**
 * The transaction as an action answers it. Where nobody has signed and nothing comes from a lookup table, its message
 * takes the legacy form, which says the same: the specification's SDK reads no other, and a signature would be of the
 * bytes as they are. Throws when the wallet's signature is not the only one that is missing, since wallets must refuse
 * that.
 */
export function toActionTransaction(text: string, account: string): string {
  const wire = readWire(text);
  const message = wire && readMessage(wire.message);
  if (wire === undefined || message === undefined) {
    throw apiError('action_failed', 'The action gave no transaction. Its author has to look into the run.');
  }
  const missing = message.signers.filter((_, index) => isEmpty(wire.signatures[index] ?? new Uint8Array()));
  if (missing.length !== 1 || missing[0] !== account) {
    throw apiError(
      'action_failed',
      "The action made a transaction that your wallet alone can't sign. Its author has to mend it.",
    );
  }
  if (message.version === 'legacy' || message.lookups.length > 0 || message.signers.length > 1) return text;
  // A message of version 0 is the legacy one between a byte for the version and the number of lookup tables, zero here.
  const legacy = wire.message.subarray(1, -1);
  return base64.encode(Uint8Array.from([1, ...new Uint8Array(SIGNATURE_BYTES), ...legacy]));
}
