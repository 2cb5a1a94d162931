import { base58, base64 } from '@scure/base';
import type { Account } from './account.ts';
import { encodeAccount } from './account_encoding.ts';
import type { Ledger, LedgerTransaction, TransactionExecution } from './ledger.ts';
import { invalidParams, PREFLIGHT_FAILURE, RpcError, SIGNATURE_VERIFICATION_FAILURE } from './rpc_error.ts';
import { API_VERSION, checkMinContextSlot, latestBlockhash, type Methods, withContext } from './rpc_method.ts';
import { checkBase58, readConfig, readWireTransaction, type RpcConfig, type RpcJson } from './rpc_params.ts';
import { encodeTransaction, errorJson } from './transaction_encoding.ts';
import { isWellSigned, type WireTransaction } from './wire_transaction.ts';

const MAX_STATUSES = 256;
const MAX_SIGNATURES = 1_000n;

/**
 * Number of slots for which a transaction's status is kept in memory; for older transactions, clients need
 * `searchTransactionHistory`. Source: Agave, `MAX_CACHE_ENTRIES`.
 */
const RECENT_SLOTS = 300n;

function assertWellSigned(transaction: WireTransaction): void {
  if (!isWellSigned(transaction)) {
    throw new RpcError(SIGNATURE_VERIFICATION_FAILURE, 'Transaction signature verification failure');
  }
}

function executionJson({ error, logs, unitsConsumed, returnData }: TransactionExecution): { [name: string]: RpcJson } {
  return {
    accounts: null,
    err: errorJson(error?.json),
    innerInstructions: null,
    logs,
    replacementBlockhash: null,
    returnData: returnData === undefined
      ? null
      : { programId: base58.encode(returnData.programId), data: [base64.encode(returnData.data), 'base64'] },
    unitsConsumed,
  };
}

/** Returns the accounts that the config of a simulation asks for, in their state after the simulation. */
function simulatedAccounts(config: RpcConfig, after: ReadonlyMap<string, Account>, ledger: Ledger): RpcJson {
  const wanted = config.object('accounts');
  if (wanted === undefined) return null;
  const addresses = wanted.addresses;
  if (!Array.isArray(addresses)) throw invalidParams('Invalid params: missing field `addresses`.');
  const read = (address: string) => after.get(address) ?? ledger.read(address);
  const encoding = readConfig({ encoding: 'base64', ...wanted });
  return addresses.map((address) => encodeAccount(read(checkBase58(String(address), 32)), encoding, read));
}

function statusJson(ledger: Ledger, entry: LedgerTransaction | undefined, searchHistory: boolean): RpcJson {
  const now = ledger.clock.slot();
  if (entry === undefined || (!searchHistory && now - entry.slot > RECENT_SLOTS)) return null;
  const status = ledger.clock.commitmentOf(entry.slot);
  const err = errorJson(entry.error);
  return {
    slot: entry.slot,
    confirmations: status === 'finalized' ? null : now - entry.slot,
    err,
    status: err === null ? { Ok: null } : { Err: err },
    confirmationStatus: status,
  };
}

/** Returns the newest slot at the call's commitment. The node lists the transactions up to this slot. */
function knownSlot({ clock }: Ledger, config: RpcConfig): bigint {
  const commitment = config.commitment();
  if (commitment === 'processed') throw invalidParams('Method does not support commitment below `confirmed`');
  return clock.slot(commitment);
}

/** The RPC methods for transactions. Source: Solana documentation, "RPC HTTP methods"; error bodies: Agave. */
export const transactionMethods: Methods = {
  sendTransaction(ledger, params) {
    const config = params.config(1);
    const transaction = readWireTransaction(params.text(0), config);
    if (!config.boolean('skipPreflight')) {
      const commitment = config.commitment('preflightCommitment');
      checkMinContextSlot(ledger.clock.slot(commitment), config);
      assertWellSigned(transaction);
      const execution = ledger.simulate(transaction, { commitment, checkBlockhash: true });
      if (execution.error !== undefined) {
        const message = `Transaction simulation failed: ${execution.error.message}`;
        throw new RpcError(PREFLIGHT_FAILURE, message, executionJson(execution));
      }
    }
    if (isWellSigned(transaction)) ledger.submit(transaction);
    return transaction.signature;
  },

  simulateTransaction(ledger, params) {
    const config = params.config(1);
    const transaction = readWireTransaction(params.text(0), config);
    const isReplaced = config.boolean('replaceRecentBlockhash');
    if (config.boolean('sigVerify')) {
      if (isReplaced) throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
      assertWellSigned(transaction);
    }
    const commitment = config.commitment();
    const { accounts, ...execution } = ledger.simulate(transaction, { commitment, checkBlockhash: !isReplaced });
    return withContext(ledger, config, {
      ...executionJson(execution),
      accounts: simulatedAccounts(config, accounts, ledger),
      ...(isReplaced && { replacementBlockhash: latestBlockhash(ledger, config) }),
    });
  },

  getSignatureStatuses(ledger, params) {
    const searchHistory = params.config(1).boolean('searchTransactionHistory');
    const entries = params.texts(0, MAX_STATUSES).map((text) => ledger.find(checkBase58(text, 64)));
    return {
      context: { apiVersion: API_VERSION, slot: ledger.clock.slot() },
      value: entries.map((entry) => statusJson(ledger, entry, searchHistory)),
    };
  },

  getTransaction(ledger, params) {
    const signature = checkBase58(params.text(0), 64);
    const config = params.config(1);
    const known = knownSlot(ledger, config);
    const entry = ledger.find(signature);
    return entry === undefined || entry.slot > known ? null : encodeTransaction(entry, config);
  },

  getSignaturesForAddress(ledger, params) {
    const address = params.publicKey(0);
    const config = params.config(1);
    const limit = config.integer('limit') ?? MAX_SIGNATURES;
    if (limit < 1n || limit > MAX_SIGNATURES) throw invalidParams(`Invalid limit; max ${MAX_SIGNATURES}`);
    const known = knownSlot(ledger, config);
    checkMinContextSlot(known, config);

    const [before, until] = [config.text('before'), config.text('until')].map((text) => text && checkBase58(text, 64));
    const all = ledger.landed.toReversed();
    const indexOf = (wanted: string | undefined) => all.findIndex(({ signature }) => signature === wanted);
    if (before !== undefined && indexOf(before) === -1) return [];
    const end = indexOf(until);
    return all.slice(indexOf(before) + 1, end === -1 ? undefined : end)
      .filter(({ slot, accounts }) => slot <= known && accounts.includes(address))
      .slice(0, Number(limit))
      .map((entry) => ({
        signature: entry.signature,
        slot: entry.slot,
        err: errorJson(entry.error),
        memo: entry.memo,
        blockTime: entry.blockTime,
        confirmationStatus: ledger.clock.commitmentOf(entry.slot),
      }));
  },
};
