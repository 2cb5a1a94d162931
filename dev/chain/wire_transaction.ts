import { base58 } from '@scure/base';
import { getCompiledTransactionMessageDecoder, getTransactionDecoder, type Transaction } from '@solana/kit';
import { createPublicKey, verify } from 'node:crypto';
import type { AccountReader } from './account.ts';

/** The most bytes of a network packet. Source: Agave, `PACKET_DATA_SIZE`. */
export const MAX_WIRE_BYTES = 1_232;

/** The memo programs. A Solana RPC node lists the data of their instructions as the memos of a transaction. */
const MEMO_PROGRAMS = new Set([
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
]);

/** The byte offset of the addresses in a lookup table's account. Source: solana-sdk, `LOOKUP_TABLE_META_SIZE`. */
const LOOKUP_TABLE_META_BYTES = 56;

/** The bytes before the key in an Ed25519 key's SubjectPublicKeyInfo. Source: RFC 8410. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** A transaction read from its wire format. */
export interface WireTransaction {
  bytes: Uint8Array;
  transaction: Transaction;
  /** The fee payer's signature, in base58: the transaction's id. */
  signature: string;
  blockhash: string;
  /** The accounts in the message's own list. */
  staticAccounts: string[];
  /** The lookup tables, each with the indexes of its accounts: first the writable accounts, then the others. */
  lookups: { table: string; indexes: number[] }[];
  /** The memos as a Solana RPC node lists them: `[length in bytes] text`, joined by `; `; null without memos. */
  memo: string | null;
}

function formatMemo(data: Uint8Array): string {
  try {
    return `[${data.length}] ${new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data)}`;
  } catch {
    return `[${data.length}] (unparseable)`;
  }
}

/** Reads a transaction. Throws if the bytes are malformed. */
export function readTransaction(bytes: Uint8Array): WireTransaction {
  const transaction = getTransactionDecoder().decode(bytes);
  const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
  if (message.version === 1) throw new Error('transaction version 1 is not supported');
  const { staticAccounts, instructions } = message;
  const lookups = 'addressTableLookups' in message ? message.addressTableLookups ?? [] : [];
  const memos = instructions
    .filter(({ programAddressIndex }) => MEMO_PROGRAMS.has(staticAccounts[programAddressIndex] ?? ''))
    .map(({ data }) => formatMemo(Uint8Array.from(data ?? [])));
  return {
    bytes,
    transaction,
    signature: base58.encode(Object.values(transaction.signatures)[0] ?? new Uint8Array(64)),
    blockhash: message.lifetimeToken,
    staticAccounts,
    lookups: [
      ...lookups.map((lookup) => ({ table: lookup.lookupTableAddress, indexes: [...lookup.writableIndexes] })),
      ...lookups.map((lookup) => ({ table: lookup.lookupTableAddress, indexes: [...lookup.readonlyIndexes] })),
    ],
    memo: memos.length === 0 ? null : memos.join('; '),
  };
}

/** Returns all accounts of a transaction, those of its lookup tables last. */
export function accountsOf({ staticAccounts, lookups }: WireTransaction, read: AccountReader): string[] {
  const loaded = lookups.flatMap(({ table, indexes }) => {
    const data = read(table)?.data ?? new Uint8Array();
    return indexes.map((index) => {
      const start = LOOKUP_TABLE_META_BYTES + 32 * index;
      return base58.encode(data.slice(start, start + 32));
    });
  });
  return [...staticAccounts, ...loaded];
}

/** True if every signature that the message requires is present and valid. */
export function isWellSigned({ transaction: { messageBytes, signatures } }: WireTransaction): boolean {
  return Object.entries(signatures).every(([signer, signature]) => {
    if (signature === null) return false;
    const key = createPublicKey({
      key: Buffer.concat([SPKI_PREFIX, base58.decode(signer)]),
      format: 'der',
      type: 'spki',
    });
    return verify(null, Uint8Array.from(messageBytes), key, Uint8Array.from(signature));
  });
}
