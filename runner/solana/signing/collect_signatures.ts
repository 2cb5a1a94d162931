import { base58, base64 } from '@scure/base';
import { findMessageChanges } from '../../../platform/solana_message_changes.ts';
import { NodeError } from '../../engine/node.ts';
import type {
  ChainSigner,
  NewSignatureRequest,
  StoredSignatureRequest,
  TransactionRecord,
  TransactionStore,
} from '../transaction_order.ts';
import { messageOf } from '../building/message.ts';
import { type OpenWallet, signHere } from './signing.ts';

/** A transaction whose signatures are being collected. */
interface Unsigned {
  record: TransactionRecord;
  /** The signature requests that are stored with the transaction. */
  requests: StoredSignatureRequest[];
  /** Signers, by key. If this map lacks a key, the key's holder is asked to sign. */
  signers: ReadonlyMap<string, ChainSigner>;
  /** The key whose holder adds the last signature outside the run, after the run has collected all other signatures. */
  omittedKey: string | undefined;
}

interface CollectDeps {
  store: TransactionStore;
  openWallet: OpenWallet;
  signatureTimeoutMs: number;
  now: () => number;
}

/** The collected signatures by key, without that of the omitted key, and the transaction whose message they sign. */
export interface Collected {
  record: TransactionRecord;
  requests: StoredSignatureRequest[];
  signatures: Map<string, Uint8Array>;
}

/** Lists the known signatures for a request; null if no signature is known. */
export const listSignatures = (signatures: ReadonlyMap<string, Uint8Array>): NewSignatureRequest['signatures'] =>
  signatures.size === 0
    ? null
    : [...signatures].map(([pubkey, signature]) => ({ pubkey, signature: base58.encode(signature) }));

/** True if the request is answered. Throws if it is not answered and its time is over. */
function isAnswered({ pubkey, signature, expires_at }: StoredSignatureRequest, now: number): boolean {
  if (signature === null && now >= Date.parse(expires_at)) {
    throw new NodeError(`timeout: the signature request of ${pubkey} was not answered in time`);
  }
  return signature !== null;
}

/**
 * Collects the signatures of a transaction. The fee payer signs first, because its wallet may still change the
 * message's compute budget. All others then sign the message that the fee payer signed. The runner signs with each key
 * that it may use. For any other key, its holder is asked. Once the holder is asked, only the holder's answer counts.
 * Returns undefined while answers are missing. Continues from any stored state. Throws a NodeError if signing fails.
 */
export async function collectSignatures(given: Unsigned, deps: CollectDeps): Promise<Collected | undefined> {
  const { signers, omittedKey } = given;
  const signatures = new Map<string, Uint8Array>();
  let { record, requests } = given;
  const [feePayer, ...others] = messageOf(record.message).signers;

  /** Collects the signatures of these keys; undefined while at least one is missing. */
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
