import { base58, base64 } from '@scure/base';
import { ed25519 } from '@noble/curves/ed25519.js';
import type {
  StoredSignatureRequest,
  StoredTransaction,
  TransactionRecord,
  TransactionStore,
} from '../../runner/solana/transaction_order.ts';
import type { Keypair } from './keypairs.ts';

type StoredRequest = StoredSignatureRequest & {
  msg: string;
  signatures: { pubkey: string; signature: string }[] | null;
};

/** Stores a run's transactions as the database does, and answers signature requests. */
export interface TestTransactionStore extends TransactionStore {
  /** Returns the single stored transaction, as a worker reads it; undefined if there is none. */
  stored: () => StoredTransaction | undefined;
  /** Returns the transaction's signature requests as the signers see them. */
  requests: () => StoredRequest[];
  /** Signs the request for this key as a wallet does. If another message is given, signs that message instead. */
  answer: (pair: Keypair, newMessage?: Uint8Array) => void;
  /** Lets every unanswered request expire. */
  expire: () => void;
  /** Returns everything that was stored, as text. */
  seen: () => string;
}

/** Copies a value, because callers never share objects with a database. */
const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value));

export function makeTransactionStore(): TestTransactionStore {
  let transaction: TransactionRecord | undefined;
  const requests: StoredRequest[] = [];
  const given: string[] = [];
  const outside = ({ id, pubkey, signature, new_msg, expires_at }: StoredRequest) =>
    copy({ id, pubkey, signature, new_msg, expires_at });
  return {
    async store(record, wanted) {
      given.push(JSON.stringify([record, wanted]));
      const key = ({ flow_run_id, node_id, times }: TransactionRecord) => [flow_run_id, node_id, times].join(' ');
      if (transaction !== undefined && key(transaction) !== key(record)) {
        throw new Error('another transaction is stored already');
      }
      if ((transaction?.wire ?? record.wire) !== record.wire) {
        throw new Error('a transaction that may have been sent must not change');
      }
      transaction = copy(record);
      for (const { timeout_ms, ...request } of wanted) {
        if (requests.some(({ pubkey }) => pubkey === request.pubkey)) continue;
        const expires_at = new Date(Date.now() + timeout_ms).toISOString();
        requests.push({ ...copy(request), id: requests.length + 1, signature: null, new_msg: null, expires_at });
      }
      return requests.map(outside);
    },
    stored: () =>
      transaction && { ...copy(transaction), requests: requests.map(outside), outcome: null, signature: null },
    requests: () => copy(requests),
    answer({ publicKey, secretKey }, newMessage) {
      const request = requests.find(({ pubkey, signature }) => pubkey === publicKey && signature === null);
      if (request === undefined) throw new Error(`there is no request for ${publicKey}`);
      const message = newMessage ?? base64.decode(request.msg);
      request.signature = base58.encode(ed25519.sign(message, secretKey));
      if (newMessage !== undefined) request.new_msg = base64.encode(newMessage);
    },
    expire() {
      for (const request of requests) request.expires_at = new Date(Date.now() - 1).toISOString();
    },
    seen: () => given.join('\n'),
  };
}
