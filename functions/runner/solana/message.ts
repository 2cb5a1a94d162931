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
import { type Message, readMessage } from '../../_shared/solana_message.ts';
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

/** A v0 message, in base64; throws a NodeError when the instructions can't be in one. */
export function compileMessage({ feePayer, instructions, blockhash, lookupTables }: MessageParts): string {
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
    return base64.encode(new Uint8Array(messageBytes));
  } catch (error) {
    if (!isSolanaError(error)) throw error;
    throw new NodeError(`the transaction can't be made of its instructions: ${error.message}`);
  }
}

/** What the message of a transaction says, given in base64; throws a NodeError when it is not a message of version 0. */
export function messageOf(text: string): Message {
  const message = readMessage(base64.decode(text));
  if (message?.version === 0) return message;
  throw new NodeError('the message of the transaction must be of version 0');
}

/** A transaction in wire format, with 64 zero bytes for each signature that is not there; throws a NodeError when it is too large. */
export function encodeTransaction(message: string, signatures: ReadonlyMap<string, Uint8Array> = new Map()) {
  const keys = messageOf(message).signers;
  const wire = getTransactionEncoder().encode({
    // SAFETY: it was decoded just now; signatures are checked to have 64 bytes where they come from.
    messageBytes: base64.decode(message) as unknown as TransactionMessageBytes,
    signatures: Object.fromEntries(keys.map((key) => [key, (signatures.get(key) ?? null) as SignatureBytes | null])),
  });
  if (wire.length > MAX_WIRE_BYTES) {
    throw new NodeError(`the transaction is too large: ${wire.length} bytes, ${MAX_WIRE_BYTES} are allowed`);
  }
  return new Uint8Array(wire);
}
