import type { Commitment } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { stringify } from 'lossless-json';
import { encodeAccount } from './account_encoding.ts';
import type { Ledger, LedgerTransaction } from './ledger.ts';
import { invalidParams } from './rpc_error.ts';
import { checkBase58, type Params, type RpcJson } from './rpc_params.ts';
import { BLOCKHASH_BLOCKS } from './slot_clock.ts';
import { errorJson } from './transaction_encoding.ts';

/** A subscription of a client. */
export interface Subscription {
  /** The method of its notifications. */
  method: string;
  /** Returns the notifications since the last call, oldest first. */
  news: () => RpcJson[];
  /** True if no more notifications will follow. */
  isOver?: () => boolean;
}

/** Makes the subscription that a call asks for. Throws an RpcError if its parameters are wrong. */
type Subscribe = (ledger: Ledger, params: Params) => Subscription;

/** The account that subscribers get when an account has lost its lamports and no longer exists. */
const CLOSED_ACCOUNT = {
  data: new Uint8Array(),
  executable: false,
  lamports: 0n,
  owner: SYSTEM_PROGRAM_ADDRESS as string,
};

const withSlot = (slot: bigint, value: RpcJson): RpcJson => ({ context: { slot }, value });

/**
 * Makes a function that returns each landed transaction once, when its slot has reached the commitment. Omits the
 * transactions whose slots reached the commitment before the function was made.
 */
function followLanded({ clock, landed }: Ledger, commitment: Commitment): () => LedgerTransaction[] {
  const known = clock.slot(commitment);
  let next = landed.length;
  for (let before = landed[next - 1]; before !== undefined && before.slot > known; before = landed[next - 1]) next--;
  return () => {
    const from = next;
    const slot = clock.slot(commitment);
    for (let entry = landed[next]; entry !== undefined && entry.slot <= slot; entry = landed[next]) next++;
    return landed.slice(from, next);
  };
}

const onSignature: Subscribe = (ledger, params) => {
  const signature = checkBase58(params.text(0), 64);
  const config = params.config(1);
  const commitment = config.commitment();
  let isReceiptDue = config.boolean('enableReceivedNotification');
  let isOver = false;
  return {
    method: 'signatureNotification',
    news() {
      const entry = ledger.find(signature);
      if (entry === undefined) return [];
      const news = isReceiptDue ? [withSlot(entry.slot, 'receivedSignature')] : [];
      isReceiptDue = false;
      const slot = ledger.clock.slot(commitment);
      if (entry.slot > slot) return news;
      isOver = true;
      return [...news, withSlot(slot, { err: errorJson(entry.error) })];
    },
    isOver: () => isOver,
  };
};

/** Sends the newest state of an account whenever a transaction that names it has reached the commitment. */
const onAccount: Subscribe = (ledger, params) => {
  const address = params.publicKey(0);
  const config = params.config(1);
  const encode = () => encodeAccount(ledger.read(address) ?? CLOSED_ACCOUNT, config, ledger.read);
  let told = stringify(encode());
  const follow = followLanded(ledger, config.commitment());
  return {
    method: 'accountNotification',
    news() {
      const last = follow().findLast(({ accounts }) => accounts.includes(address));
      if (last === undefined) return [];
      const account = encode();
      const text = stringify(account);
      if (text === told) return [];
      told = text;
      return [withSlot(last.slot, account)];
    },
  };
};

const onSlot: Subscribe = ({ clock }) => {
  let told = clock.slot();
  return {
    method: 'slotNotification',
    news() {
      const newest = clock.slot();
      // If the clock was advanced by many slots, only the last slots are sent, as by an RPC node that was offline for a
      // while.
      const first = newest - told > BLOCKHASH_BLOCKS ? newest - BLOCKHASH_BLOCKS : told + 1n;
      told = newest;
      return Array.from({ length: Number(newest - first) + 1 }, (_, index) => {
        const slot = first + BigInt(index);
        return { parent: slot - 1n, root: slot - newest + clock.slot('finalized'), slot };
      });
    },
  };
};

/** Reads the address that a transaction must mention; undefined if any transaction is wanted. */
function readLogsFilter(filter: RpcJson): string | undefined {
  if (filter === 'all' || filter === 'allWithVotes') return undefined;
  const mentions = typeof filter === 'object' && filter !== null && !Array.isArray(filter)
    ? filter.mentions
    : undefined;
  if (!Array.isArray(mentions)) throw invalidParams('Invalid params: expected `all`, `allWithVotes` or `mentions`.');
  const [address] = mentions;
  if (mentions.length !== 1 || typeof address !== 'string') {
    throw invalidParams('Invalid Request: Only 1 address supported');
  }
  return checkBase58(address, 32);
}

const onLogs: Subscribe = (ledger, params) => {
  const mentioned = readLogsFilter(params.value(0));
  const follow = followLanded(ledger, params.config(1).commitment());
  return {
    method: 'logsNotification',
    news: () =>
      follow()
        .filter(({ accounts }) => mentioned === undefined || accounts.includes(mentioned))
        .map(({ slot, signature, error, logs }) => withSlot(slot, { signature, err: errorJson(error), logs })),
  };
};

/** The methods that subscribe. Source of names and shapes: Solana documentation, "RPC WebSocket methods". */
export const subscribeMethods: { readonly [name: string]: Subscribe } = {
  signature: onSignature,
  account: onAccount,
  slot: onSlot,
  logs: onLogs,
};
