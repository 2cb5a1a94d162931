import type { Instruction } from '@solana/kit';
import type { Signer } from '../../../types/values/keys.ts';
import type { Effect, LogLevel, Transience } from '../engine/node.ts';

/** Who signs for an instruction. */
export type ChainSigner = Signer & {
  /** The owner's own flows name this key: one that is stored for the owner may sign. Else whoever holds the key is asked. */
  isNamedByFlow: boolean;
};

/** Instructions that go into one transaction, in order, and whose signatures they need. */
export interface InstructionSet {
  feePayer: ChainSigner;
  /** Every key that the instructions want a signature of; the fee payer may be among them. */
  signers: ChainSigner[];
  instructions: Instruction[];
}

/** One node execution whose instructions are part of a transaction. */
export interface TransactionMember {
  execution: Effect;
  /** Undefined when the transaction is signed as a whole, or an action's signer has it. */
  instructions: InstructionSet | undefined;
}

/** A signature that somebody outside is asked for. */
export interface StoredSignatureRequest {
  id: string;
  /** Base58, as all keys and signatures. */
  pubkey: string;
  /** Null until it is given. */
  signature: string | null;
  /** Base64 of the message that was signed instead; null when it is the one that was to be signed. */
  new_msg: string | null;
  /** ISO 8601. A request without an answer fails at this time. */
  expires_at: string;
}

export const isAsked = (requests: readonly StoredSignatureRequest[], key: string | undefined): boolean =>
  requests.some(({ pubkey }) => pubkey === key);

/** A request to be made; the database adds its id, and finds the one that it has already for the same transaction and key. */
export interface NewSignatureRequest {
  pubkey: string;
  /** Base64 of the message's bytes. */
  msg: string;
  /** Signatures that are known already; null when there are none. */
  signatures: { pubkey: string; signature: string }[] | null;
  timeout_ms: number;
}

/**
 * A transaction as the database keeps it, from the moment at which anybody outside could know of it: what is signed or sent once is
 * never made anew. Its key is the first of its members.
 */
export interface StoredTransaction extends Effect {
  /** `instruction_count` leaves out instructions of the compute budget: they are nobody's. */
  members: (Effect & { instruction_count: number })[];
  /** Base64 of the compiled v0 message. */
  message: string;
  /** Base64 of the whole signed transaction; null while signatures are missing. A transaction that is stored here may have been sent. */
  wire: string | null;
  /** Text of the action identity's memo, where the message ends with one. */
  memo: string | null;
  /** It carries the fees of the run. */
  has_fees: boolean;
  /** The slot in which its blockhash was read, so it can only be in this slot or a later one. Decimal text, like the next field. */
  slot: string;
  last_valid_block_height: string;
  /** Null while it is under way. */
  outcome: FinalOutcome | null;
  /** Base58: the transaction's first signature; null until it is known. */
  signature: string | null;
  requests: StoredSignatureRequest[];
}

/** How a transaction ended; unknown: nobody looks any more, and it may still be executed. */
export type FinalOutcome = 'confirmed' | 'failed' | 'unknown';

/** What the database is to keep of a transaction. */
export type TransactionRecord = Omit<StoredTransaction, 'requests' | 'outcome' | 'signature'>;

/** Keeps the transactions of a claimed run. */
export interface TransactionStore {
  /**
   * Resolves when the transaction is stored, and the requests with it: new values of `message` and `wire` replace those of the same
   * transaction. Gives its requests, all of them.
   */
  store: (transaction: TransactionRecord, requests: NewSignatureRequest[]) => Promise<StoredSignatureRequest[]>;
}

/** A transaction to be made, or to be continued. */
export interface TransactionOrder {
  /** In the order of their instructions; all have one fee payer. */
  members: TransactionMember[];
  /** What an earlier step stored of it: its message stands, whatever the members' instructions are now. */
  stored: StoredTransaction | undefined;
  /** The run's fees have not been charged yet. */
  chargesFees: boolean;
  /** The settings of the flow that the first member belongs to. */
  environment: { [name: string]: string };
  /** Signatures of the run's earlier transactions: the memo watcher passes them over. */
  knownSignatures: ReadonlySet<string>;
  /** Aborted, with a Halt as its reason, when the run ends. */
  signal: AbortSignal;
  /** Aborted when the run is released: what can be continued later throws Released. */
  releasing: AbortSignal;
  /** Writes into the log of the run, as a line of the first member. */
  log: (level: LogLevel, content: string) => void;
}

/** What became of a transaction. */
export type TransactionEnd =
  | { status: 'confirmed'; signature: string; hasFees: boolean }
  /** Base64 of the wire format, for the run to put out. */
  | { status: 'put_out'; transaction: string }
  /**
   * An error for each member, in order; `signature` when it was sent. `transience` only where it is sure that nothing happened, and
   * another transaction may fare better. `isUnknown`: it may still be executed.
   */
  | {
    status: 'failed';
    errors: string[];
    signature: string | null;
    transience?: Transience | undefined;
    isUnknown?: boolean | undefined;
  }
  /** Requests are open: nothing can be done before they are answered. */
  | { status: 'waiting' };

/** Makes, signs, sends and confirms the transactions of one run tree. Throws Released when the run is released. */
export interface Transactions {
  execute: (order: TransactionOrder) => Promise<TransactionEnd>;
}
