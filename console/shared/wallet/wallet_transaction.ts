import { base58, base64 } from '@scure/base';

const KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;
/**
 * A bit of a message's first byte. If the bit is set, the byte has the version of the message. Otherwise it is the
 * number of signatures.
 */
const HAS_VERSION = 0x80;

/** Reads a length of one to three bytes, seven bits in each. */
function readLength(bytes: Uint8Array, offset: number): { length: number; next: number } {
  let length = 0;
  for (let index = 0; index < 3; index += 1) {
    const byte = bytes[offset + index];
    if (byte === undefined) break;
    length |= (byte & 0x7f) << (7 * index);
    if ((byte & 0x80) === 0) return { length, next: offset + index + 1 };
  }
  throw new Error('The transaction is cut off.');
}

/** Returns the keys that sign a message, in order. Throws if the bytes are not a message. */
function signersOf(message: Uint8Array): string[] {
  const header = ((message[0] ?? 0) & HAS_VERSION) === 0 ? 0 : 1;
  const { length, next } = readLength(message, header + 3);
  const count = message[header] ?? 0;
  if (count === 0 || count > length || next + count * KEY_BYTES > message.length) {
    throw new Error('The message names no keys that sign it.');
  }
  return Array.from(
    { length: count },
    (_, index) => base58.encode(message.subarray(next + index * KEY_BYTES, next + (index + 1) * KEY_BYTES)),
  );
}

/**
 * Encodes a transaction for wallets: the known signatures, zeros in place of the others, and the message, which is in
 * base64.
 */
export function toWire(message: string, known: readonly { pubkey: string; signature: string }[]): Uint8Array {
  const bytes = base64.decode(message);
  const signers = signersOf(bytes);
  // One byte of length is enough, because more signatures do not fit into a transaction.
  const wire = new Uint8Array(1 + signers.length * SIGNATURE_BYTES + bytes.length);
  wire[0] = signers.length;
  for (const [index, signer] of signers.entries()) {
    const found = known.find(({ pubkey }) => pubkey === signer);
    if (found !== undefined) wire.set(base58.decode(found.signature), 1 + index * SIGNATURE_BYTES);
  }
  wire.set(bytes, 1 + signers.length * SIGNATURE_BYTES);
  return wire;
}

/** Returns the fee payer of a transaction, which signs first. Throws if the bytes are not a transaction. */
export function feePayerOf(wire: Uint8Array): string {
  const { length, next } = readLength(wire, 0);
  return signersOf(wire.subarray(next + length * SIGNATURE_BYTES))[0]!;
}

/** Decodes a transaction from base64; undefined for any other text. */
export function decodeTransaction(text: string): Uint8Array | undefined {
  try {
    const wire = base64.decode(text);
    feePayerOf(wire);
    return wire;
  } catch {
    return undefined;
  }
}

export const encodeTransaction = (wire: Uint8Array): string => base64.encode(wire);

/** Returns a key's signature in a transaction, in base58, and the signed message, in base64. */
export function fromWire(wire: Uint8Array, pubkey: string): { signature: string; message: string } {
  const { length, next } = readLength(wire, 0);
  const message = wire.subarray(next + length * SIGNATURE_BYTES);
  const index = signersOf(message).indexOf(pubkey);
  const signature = wire.subarray(next + index * SIGNATURE_BYTES, next + (index + 1) * SIGNATURE_BYTES);
  if (index < 0 || index >= length || signature.every((byte) => byte === 0)) {
    throw new Error(`The wallet did not sign for ${pubkey}.`);
  }
  return { signature: base58.encode(signature), message: base64.encode(message) };
}
