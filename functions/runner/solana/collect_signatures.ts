import { base58, base64 } from '@scure/base';
import { findMessageChanges } from '../../_shared/solana_message_changes.ts';
import { NodeError } from '../engine/node.ts';
import type {
  ChainSigner,
  NewSignatureRequest,
  StoredSignatureRequest,
  TransactionRecord,
  TransactionStore,
} from './transaction.ts';
import { messageOf } from './message.ts';
import { type OpenWallet, signHere } from './signing.ts';

/** A transaction whose signatures are being collected. */
export interface Unsigned {
  record: TransactionRecord;
  /** The requests that are stored with it. */
  requests: StoredSignatureRequest[];
  /** Who signs, by key. Whoever holds a key that is not in it is asked. */
  signers: ReadonlyMap<string, ChainSigner>;
  /** The key whose signature somebody else adds, outside. */
  omittedKey: string | undefined;
}

export interface CollectDeps {
  store: TransactionStore;
  openWallet: OpenWallet;
  signatureTimeoutMs: number;
  now: () => number;
}

/** All signatures but that of the omitted key, by key, and the transaction with the message that they are of. */
export interface Collected {
  record: TransactionRecord;
  requests: StoredSignatureRequest[];
  signatures: Map<string, Uint8Array>;
}

/** Known signatures, for a request. */
export const listSignatures = (signatures: ReadonlyMap<string, Uint8Array>): NewSignatureRequest['signatures'] =>
  signatures.size === 0
    ? null
    : [...signatures].map(([pubkey, signature]) => ({ pubkey, signature: base58.encode(signature) }));

/** Whether the answer is there; throws when it is late. */
function isAnswered({ pubkey, signature, expires_at }: StoredSignatureRequest, now: number): boolean {
  if (signature === null && now >= Date.parse(expires_at)) {
    throw new NodeError(`timeout: the signature request of ${pubkey} was not answered in time`);
  }
  return signature !== null;
}

/**
 * Collects signatures: first the fee payer's, whose wallet may still change the message's compute budget, then all others at once, of
 * the message that the fee payer signed. Keys that may sign here do. Whoever holds the others is asked, and from then on only their
 * answer counts. Undefined while answers are missing. Continues from any state that is stored; throws a NodeError when signing fails.
 */
export async function collectSignatures(given: Unsigned, deps: CollectDeps): Promise<Collected | undefined> {
  const { signers, omittedKey } = given;
  const signatures = new Map<string, Uint8Array>();
  let { record, requests } = given;
  const [feePayer, ...others] = messageOf(record.message).signers;

  /** Gives the answers that are there, by key; undefined as long as one is missing. */
  const sign = async (keys: (string | undefined)[]): Promise<StoredSignatureRequest[] | undefined> => {
    const message = base64.decode(record.message);
    const isAsked = (key: string) => requests.some(({ pubkey }) => pubkey === key);
    const known = listSignatures(signatures);
    const unsigned: NewSignatureRequest[] = [];
    for (const key of keys) {
      if (key === undefined || key === omittedKey || isAsked(key)) continue;
      const signature = await signHere(deps.openWallet, signers.get(key), message);
      if (signature !== undefined) signatures.set(key, signature);
      else {
        unsigned.push({ pubkey: key, msg: record.message, signatures: known, timeout_ms: deps.signatureTimeoutMs });
      }
    }
    if (unsigned.length > 0) requests = await deps.store.store(record, unsigned);
    const asked = requests.filter(({ pubkey }) => pubkey !== omittedKey && keys.includes(pubkey));
    const open = asked.filter((request) => !isAnswered(request, deps.now()));
    if (open.length > 0) return undefined;
    for (const { pubkey, signature } of asked) signatures.set(pubkey, base58.decode(signature ?? ''));
    return asked;
  };

  const first = await sign([feePayer]);
  if (first === undefined) return undefined;
  const changed = first[0]?.new_msg ?? record.message;
  if (changed !== record.message) {
    const [change] = findMessageChanges(base64.decode(record.message), base64.decode(changed), feePayer ?? '');
    if (change !== undefined) {
      throw new NodeError(`signature of ${feePayer} failed: transaction changed: ${change.path}: ${change.message}`);
    }
    record = { ...record, message: changed };
  }

  const rest = await sign(others);
  if (rest === undefined) return undefined;
  const meddler = rest.find(({ new_msg }) => new_msg !== null && new_msg !== record.message);
  if (meddler) throw new NodeError(`signature of ${meddler.pubkey} failed: not allowed to change transaction`);
  return { record, requests, signatures };
}
