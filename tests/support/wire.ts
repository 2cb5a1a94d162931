import { base58, base64 } from '@scure/base';
import { getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit';
import { ed25519 } from '@noble/curves/ed25519.js';
import type { Keypair } from './keypairs.ts';

/** An instruction of a message, with names instead of indexes. */
export interface NamedInstruction {
  program: string;
  accounts: string[];
  data: Uint8Array;
}

/** Decodes a transaction in wire format by kit, without the code under test. */
export function decode(wire: string) {
  const { messageBytes, signatures } = getTransactionDecoder().decode(base64.decode(wire));
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
  if (message.version !== 0) throw new Error(`version ${message.version}`);
  const { staticAccounts } = message;
  return {
    bytes: new Uint8Array(messageBytes),
    message,
    instructions: message.instructions.map(({ programAddressIndex, accountIndices = [], data }): NamedInstruction => ({
      program: staticAccounts[programAddressIndex]!,
      accounts: accountIndices.map((index) => staticAccounts[index] ?? `table ${index}`),
      data: Uint8Array.from(data ?? []),
    })),
    /** Has a member for each key that must sign: true if its signature is present and valid. */
    signed: Object.fromEntries(
      Object.entries(signatures).map(([key, signature]) => [
        key,
        signature !== null &&
        ed25519.verify(Uint8Array.from(signature), new Uint8Array(messageBytes), base58.decode(key)),
      ]),
    ),
  };
}

/** Adds a signature to a transaction. */
export function signWire(wire: string, pair: Keypair): string {
  const bytes = base64.decode(wire);
  const { bytes: message, signed } = decode(wire);
  const index = Object.keys(signed).indexOf(pair.publicKey);
  bytes.set(ed25519.sign(message, pair.secretKey), 1 + 64 * index);
  return base64.encode(bytes);
}
