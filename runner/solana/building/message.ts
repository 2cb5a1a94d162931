import { base64 } from '@scure/base';
import {
  type Address,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  getTransactionEncoder,
  type Instruction,
  isSolanaError,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type SignatureBytes,
  type TransactionMessageBytes,
} from '@solana/kit';
import { type Message, readMessage } from '../../../platform/solana_message.ts';
import { NodeError } from '../../engine/node.ts';
import { runLimits } from '../../../types/limits/runs.ts';

/** The most bytes of a transaction: one network packet. Source: Agave, `PACKET_DATA_SIZE`. */
const MAX_WIRE_BYTES = runLimits.transaction_bytes.value;

/** The parts of a message. */
interface MessageParts {
  feePayer: string;
  instructions: readonly Instruction[];
  blockhash: string;
  /** Lookup tables by address, each with the addresses in it, in order. */
  lookupTables: { [table: Address]: Address[] };
}

/** Compiles a v0 message and encodes it in base64. Throws a NodeError if the instructions don't fit into one. */
export function compileMessage({ feePayer, instructions, blockhash, lookupTables }: MessageParts): string {
  try {
    const { messageBytes } = pipe(
      createTransactionMessage({ version: 0 }),
      (draft) => setTransactionMessageFeePayer(address(feePayer), draft),
      (draft) =>
        // SAFETY: the blockhash comes from an RPC node; the height is not part of the message.
        setTransactionMessageLifetimeUsingBlockhash(
          { blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n },
          draft,
        ),
      (draft) => appendTransactionMessageInstructions(instructions, draft),
      (draft) => compressTransactionMessageUsingAddressLookupTables(draft, lookupTables),
      (draft) => compileTransaction(draft),
    );
    return base64.encode(new Uint8Array(messageBytes));
  } catch (error) {
    if (!isSolanaError(error)) throw error;
    throw new NodeError(`the transaction can't be made of its instructions: ${error.message}`);
  }
}

/** Decodes a transaction's message from base64. Throws a NodeError if it is not a message of version 0. */
export function messageOf(text: string): Message {
  const message = readMessage(base64.decode(text));
  if (message?.version === 0) return message;
  throw new NodeError('the message of the transaction must be of version 0');
}

/**
 * Encodes a transaction in wire format, with 64 zero bytes for each missing signature. Throws a NodeError if it is too
 * large.
 */
export function encodeTransaction(message: string, signatures: ReadonlyMap<string, Uint8Array> = new Map()) {
  const keys = messageOf(message).signers;
  const wire = getTransactionEncoder().encode({
    // SAFETY: the message was decoded just above. Code that reads signatures checks that they have 64 bytes.
    messageBytes: base64.decode(message) as unknown as TransactionMessageBytes,
    signatures: Object.fromEntries(keys.map((key) => [key, (signatures.get(key) ?? null) as SignatureBytes | null])),
  });
  if (wire.length > MAX_WIRE_BYTES) {
    throw new NodeError(`the transaction is too large: ${wire.length} bytes, ${MAX_WIRE_BYTES} are allowed`);
  }
  return new Uint8Array(wire);
}
