import {
  type Address,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getTransactionEncoder,
  type Instruction,
  isSolanaError,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type SignatureBytes,
  type TransactionMessageBytes,
} from '@solana/kit';
import { NodeError } from '../engine/node.ts';

/** What a packet of the network takes. Source: Agave, `PACKET_DATA_SIZE`. */
const MAX_WIRE_BYTES = 1_232;

/** What a message is made of. */
export interface MessageParts {
  feePayer: string;
  instructions: readonly Instruction[];
  blockhash: string;
  /** Addresses of lookup tables and, in order, those that are in them. */
  lookupTables: { [table: Address]: Address[] };
}

export type ReadMessage = Extract<CompiledTransactionMessage, { version: 0 }> & CompiledTransactionMessageWithLifetime;

/** The bytes of a v0 message; throws a NodeError when the instructions can't be in one. */
export function compileMessage({ feePayer, instructions, blockhash, lookupTables }: MessageParts): Uint8Array {
  try {
    const { messageBytes } = pipe(
      createTransactionMessage({ version: 0 }),
      (draft) => setTransactionMessageFeePayer(address(feePayer), draft),
      (draft) =>
        // SAFETY: a node's blockhash; the height is not in the message.
        setTransactionMessageLifetimeUsingBlockhash(
          { blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n },
          draft,
        ),
      (draft) => appendTransactionMessageInstructions(instructions, draft),
      (draft) => compressTransactionMessageUsingAddressLookupTables(draft, lookupTables),
      (draft) => compileTransaction(draft),
    );
    return new Uint8Array(messageBytes);
  } catch (error) {
    if (!isSolanaError(error)) throw error;
    throw new NodeError(`the transaction can't be made of its instructions: ${error.message}`);
  }
}

/** What a v0 message says; throws a NodeError when the bytes are none. */
export function readMessage(bytes: Uint8Array): ReadMessage {
  try {
    const message = getCompiledTransactionMessageDecoder().decode(bytes);
    if (message.version === 0) return message;
  } catch (error) {
    if (!isSolanaError(error)) throw error;
  }
  throw new NodeError('the message of the transaction is none of version 0');
}

/** The keys that a message wants signatures of; the first one pays. */
export const signersOf = ({ staticAccounts, header }: ReadMessage): string[] =>
  staticAccounts.slice(0, header.numSignerAccounts);

/** A transaction in wire format, with 64 zero bytes for each signature that is not there; throws a NodeError when it is too large. */
export function encodeTransaction(message: Uint8Array, signatures: ReadonlyMap<string, Uint8Array> = new Map()) {
  const keys = signersOf(readMessage(message));
  const wire = getTransactionEncoder().encode({
    // SAFETY: it was decoded just now; signatures are checked to have 64 bytes where they come from.
    messageBytes: message as unknown as TransactionMessageBytes,
    signatures: Object.fromEntries(keys.map((key) => [key, (signatures.get(key) ?? null) as SignatureBytes | null])),
  });
  if (wire.length > MAX_WIRE_BYTES) {
    throw new NodeError(`the transaction is too large: ${wire.length} bytes, ${MAX_WIRE_BYTES} are allowed`);
  }
  return new Uint8Array(wire);
}
