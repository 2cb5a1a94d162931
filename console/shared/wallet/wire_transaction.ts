import { base58, base64 } from '@scure/base';

const KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;
/** The first byte of a message with a version has this bit; of one without, it is the number of signatures. */
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

/** The keys that sign a message, in their order. Throws for what is no message. */
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

/** A transaction as wallets take it: the signatures that are known, zeros for the others, and the message in base64. */
export function toWire(message: string, known: readonly { pubkey: string; signature: string }[]): Uint8Array {
  const bytes = base64.decode(message);
  const signers = signersOf(bytes);
  // More signers than one byte of length can say do not fit into a transaction.
  const wire = new Uint8Array(1 + signers.length * SIGNATURE_BYTES + bytes.length);
  wire[0] = signers.length;
  for (const [index, signer] of signers.entries()) {
    const found = known.find(({ pubkey }) => pubkey === signer);
    if (found !== undefined) wire.set(base58.decode(found.signature), 1 + index * SIGNATURE_BYTES);
  }
  wire.set(bytes, 1 + signers.length * SIGNATURE_BYTES);
  return wire;
}

/** The key that pays for a transaction, which signs first. Throws for what is no transaction. */
export function feePayerOf(wire: Uint8Array): string {
  const { length, next } = readLength(wire, 0);
  return signersOf(wire.subarray(next + length * SIGNATURE_BYTES))[0]!;
}

/** A transaction of a text in base64; undefined for any other text. */
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

/** The signature of a key in a transaction, in base58, and the message that was signed, in base64. */
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
