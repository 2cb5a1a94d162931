import type { Instruction } from '@solana/kit';
import type { Signer } from '../../types/values/keys.ts';
import type { Effect, LogLevel, Transience } from '../engine/node.ts';

/** A wallet that signs for an instruction. */
export type ChainSigner = Signer & {
  /**
   * True if the owner's own flows name this key. If true, the owner's stored key may sign. If false, the key's holder
   * is asked.
   */
  isNamedByFlow: boolean;
};

/** Instructions of one transaction, in order, and the wallets whose signatures they need. */
export interface InstructionSet {
  feePayer: ChainSigner;
  /** The wallets of all keys whose signatures the instructions need. The fee payer may be among them. */
  signers: ChainSigner[];
  instructions: Instruction[];
}

/** One node execution whose instructions are part of a transaction. */
export interface TransactionMember {
  execution: Effect;
  /** Undefined if the transaction already has all signatures, or if the action's signer has the transaction. */
  instructions: InstructionSet | undefined;
}

/** A signature request that is stored. */
export interface StoredSignatureRequest {
  id: number;
  /** Public key of the signer, in base58 like all keys and signatures. */
  pubkey: string;
  /** Null until the signer has signed. */
  signature: string | null;
  /** If a wallet changed the message before it signed, base64 of the changed message; otherwise null. */
  new_msg: string | null;
  /** ISO 8601. An unanswered request fails at this time. */
  expires_at: string;
}

export const isAsked = (requests: readonly StoredSignatureRequest[], key: string | undefined): boolean =>
  requests.some(({ pubkey }) => pubkey === key);

/**
 * A request to be stored. The database adds its id, or returns the existing request for the same transaction and key.
 */
export interface NewSignatureRequest {
  pubkey: string;
  /** Base64 of the message. */
  msg: string;
  /** Signatures that are already known; null if no signature is known. */
  signatures: { pubkey: string; signature: string }[] | null;
  timeout_ms: number;
}

/**
 * A transaction as the database stores it. It is stored before anybody outside the backend can know of it, so that a
 * signed or sent transaction is never built again. The execution of the transaction's first member identifies the
 * transaction.
 */
export interface StoredTransaction extends Effect {
  /** `instruction_count` excludes the compute budget's instructions, which belong to no member. */
  members: (Effect & { instruction_count: number })[];
  /** Base64 of the compiled v0 message. */
  message: string;
  /**
   * Base64 of the whole signed transaction; null while signatures are missing. If it is not null, the transaction may
   * have been sent.
   */
  wire: string | null;
  /** Text of the action identity's memo; null if the message has none. */
  memo: string | null;
  /** True if the transaction carries the run's fees. */
  has_fees: boolean;
  /** The slot in which the blockhash was read, as decimal text. The transaction can't be in an earlier slot. */
  slot: string;
  last_valid_block_height: string;
  /** Null while the transaction is under way. */
  outcome: FinalOutcome | null;
  /** Base58 of the transaction's first signature; null until it is known. */
  signature: string | null;
  requests: StoredSignatureRequest[];
}

/**
 * The end of a transaction. `unknown` means that the runner no longer looks for the transaction, which may still be
 * executed.
 */
export type FinalOutcome = 'confirmed' | 'failed' | 'unknown';

/** The part of a transaction that the runner sends to the database. */
export type TransactionRecord = Omit<StoredTransaction, 'requests' | 'outcome' | 'signature'>;

/** Stores the transactions of a claimed run. */
export interface TransactionStore {
  /**
   * Stores a transaction with its requests. New values of `message` and `wire` replace earlier values of the same
   * transaction. Returns all requests of the transaction.
   */
  store: (transaction: TransactionRecord, requests: NewSignatureRequest[]) => Promise<StoredSignatureRequest[]>;
}

/** A transaction to be made, or to be continued. */
export interface TransactionOrder {
  /** The members, in the order of their instructions. All have the same fee payer. */
  members: TransactionMember[];
  /**
   * The transaction as an earlier step stored it. The stored message is used, even if the members would now return
   * other instructions.
   */
  stored: StoredTransaction | undefined;
  /** True if the run has not paid its fees yet. */
  chargesFees: boolean;
  /** The environment of the flow to which the first member belongs. */
  environment: { [name: string]: string };
  /** Signatures of the run's earlier transactions, which the search for the action's transaction skips. */
  knownSignatures: ReadonlySet<string>;
  /** Aborted, with a Halt as its reason, when the run ends. */
  signal: AbortSignal;
  /** Aborted when the run is released. A wait that a later claim can continue then throws Released. */
  releasing: AbortSignal;
  /** Writes a line into the log of the run, under the first member. */
  log: (level: LogLevel, content: string) => void;
}

/** The outcome of an order. */
export type TransactionEnd =
  | { status: 'confirmed'; signature: string; hasFees: boolean }
  /** Base64 of the wire format, which becomes the run's output. */
  | { status: 'put_out'; transaction: string }
  /**
   * One error for each member, in order. `signature` is null unless the transaction was sent. `transience` is set only
   * if the transaction certainly had no effect and another transaction may succeed. If `isUnknown`, the transaction may
   * still be executed.
   */
  | {
    status: 'failed';
    errors: string[];
    signature: string | null;
    transience?: Transience | undefined;
    isUnknown?: boolean | undefined;
  }
  /** Signature requests are open, and the run has to wait for their answers. */
  | { status: 'waiting' };

/** Makes, signs, sends and confirms the transactions of one run tree. Throws Released when the run is released. */
export interface Transactions {
  execute: (order: TransactionOrder) => Promise<TransactionEnd>;
}
