import { base64 } from '@scure/base';
import { haltError, type HttpClient, NodeError, Released } from '../engine/node.ts';
import { sentBeforeError, UnknownOutcomeError } from './sent_before.ts';
import {
  isAsked,
  type StoredSignatureRequest,
  type StoredTransaction,
  type TransactionEnd,
  type TransactionOrder,
  type TransactionRecord,
  type Transactions,
  type TransactionStore,
} from './transaction_order.ts';
import { awaitAction } from './action/action.ts';
import { buildTransaction, signersOfOrder } from './building/build_transaction.ts';
import { type Collected, collectSignatures } from './signing/collect_signatures.ts';
import { confirmTransaction } from './rpc/confirm.ts';
import { memberErrors } from './member_errors.ts';
import { encodeTransaction, messageOf } from './building/message.ts';
import { makeChainRpc } from './rpc/rpc.ts';
import { actionSignerOf, type RunSettings } from './run_settings.ts';
import type { OpenWallet } from './signing/signing.ts';
import { readTransactionSettings, type TransactionSettings } from './read_transaction_settings.ts';

export interface TransactionsOptions {
  /** The run that was started. */
  run: { id: string; settings: RunSettings };
  http: HttpClient;
  store: TransactionStore;
  openWallet: OpenWallet;
  limits: {
    /** Time in which a signature request must be answered. */
    signatureTimeoutMs: number;
    /** Time in which the action's signer must send the transaction. */
    actionTimeoutMs: number;
    /**
     * Interval at which the runner reads the status of a sent transaction and searches for the action's transaction.
     */
    confirmPollMs: number;
    actionPollMs: number;
    /** Interval at which a transaction that is in no block yet is sent again. */
    resendMs: number;
  };
  /** API key of Helius. If it is set, the priority fee is Helius's medium estimate. */
  heliusApiKey?: string | undefined;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Waits for the chain. Meanwhile the worker may execute other runs. */
  resting: <T>(work: () => Promise<T>) => Promise<T>;
  /** Waits for a person or wallet outside the backend. The time of this wait does not count as work of the run. */
  waiting: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Decides whether a run's transactions are sent, output, or given to the action's signer. */
type Mode =
  | { type: 'send' }
  | { type: 'put_out'; identity: string | undefined }
  | { type: 'action'; identity: string; signer: string };

function modeOf(settings: RunSettings): Mode {
  const { output_instructions, action_identity } = settings;
  if (output_instructions) return { type: 'put_out', identity: action_identity ?? undefined };
  const signer = actionSignerOf(settings);
  return signer === undefined || action_identity === null
    ? { type: 'send' }
    : { type: 'action', identity: action_identity, signer };
}

/** A transaction that is ready to be signed, sent or output. */
interface Prepared {
  settings: TransactionSettings;
  record: TransactionRecord;
  requests: StoredSignatureRequest[];
}

/** Returns a stored transaction's fields without those that only the database sets, and its requests. */
function forStoring({ outcome: _outcome, signature: _signature, ...rest }: StoredTransaction) {
  return rest;
}

/**
 * Returns the key whose holder adds the last signature outside the run; undefined if the run collects all signatures.
 */
function omittedKeyOf(mode: Mode, message: string): string | undefined {
  if (mode.type === 'send') return undefined;
  const { signers } = messageOf(message);
  if (mode.type === 'put_out') return signers[0];
  if (signers.includes(mode.signer)) return mode.signer;
  throw new NodeError(`the transaction needs no signature of the action signer ${mode.signer}`);
}

/**
 * Makes the transactions of one run. The run's settings decide whether the transactions are sent, output, or given to
 * the action's signer.
 */
export function makeTransactions(options: TransactionsOptions): Transactions {
  const { run, store, openWallet, limits, now } = options;
  const mode = modeOf(run.settings);

  const confirm = async (
    order: TransactionOrder,
    settings: TransactionSettings,
    { record: unsent, signatures }: Collected,
  ): Promise<TransactionEnd> => {
    const isFresh = unsent.wire === null;
    const wire = unsent.wire ?? base64.encode(encodeTransaction(unsent.message, signatures));
    const record = { ...unsent, wire };
    // The transaction is stored before it is sent, so that a later claim does not make another transaction for the same
    // members.
    if (isFresh) await store.store(record, []);
    const { signal, releasing } = order;
    const end = await options.resting(() =>
      confirmTransaction(
        { wire: base64.decode(wire), lastValidBlockHeight: BigInt(record.last_valid_block_height), isFresh },
        { rpc: rpcFor(order), settings, limits, now, signal, releasing },
      )
    );
    return end.status === 'confirmed' ? { ...end, hasFees: record.has_fees } : {
      status: 'failed',
      errors: memberErrors(record, end.error, end.text),
      signature: end.signature,
      transience: end.hasExpired && {},
      isUnknown: end.isUnknown,
    };
  };

  const rpcFor = ({ signal, releasing }: TransactionOrder) =>
    makeChainRpc({ http: options.http, signal, releasing, run: { network: run.settings.chain_network } });

  const build = (order: TransactionOrder, settings: TransactionSettings) =>
    buildTransaction(order, mode.type === 'send' ? undefined : mode.identity, {
      run,
      settings,
      caller: { http: options.http, signal: order.signal, releasing: order.releasing },
      rpc: rpcFor(order),
      openWallet,
      heliusApiKey: options.heliusApiKey,
      now,
    });

  /** True if the action's signer already has the transaction. */
  const isGivenAway = (stored: StoredTransaction | undefined): stored is StoredTransaction =>
    mode.type === 'action' && stored !== undefined && isAsked(stored.requests, mode.signer);

  /** Returns the stored transaction of an order with its requests. If none is stored, makes a transaction. */
  const prepare = async (order: TransactionOrder): Promise<Prepared> => {
    const { signal, releasing, stored } = order;
    if (signal.aborted && (stored?.wire ?? null) === null) {
      throw isGivenAway(stored) ? sentBeforeError(stored, signal) : haltError(signal);
    }
    if (releasing.aborted) throw new Released();
    const settings = readTransactionSettings(order.environment);
    if (stored === undefined) return { settings, requests: [], record: await build(order, settings) };
    const { requests, ...record } = forStoring(stored);
    return { settings, requests, record };
  };

  const carryOut = async (
    order: TransactionOrder,
    { settings, requests, record }: Prepared,
  ): Promise<TransactionEnd> => {
    if (record.wire !== null) return await confirm(order, settings, { record, requests, signatures: new Map() });

    // The request to the action's signer contains all other signatures, so there is nothing more to collect.
    const collected = isGivenAway(order.stored) ? { record, requests, signatures: new Map() } : await collectSignatures(
      { record, requests, signers: signersOfOrder(order, settings), omittedKey: omittedKeyOf(mode, record.message) },
      { store, openWallet, signatureTimeoutMs: limits.signatureTimeoutMs, now },
    );
    if (collected === undefined) return { status: 'waiting' };
    if (mode.type === 'send') return await confirm(order, settings, collected);
    if (mode.type === 'action') {
      const { waitCommitment } = settings;
      return await awaitAction(order, mode, collected, { ...options, rpc: rpcFor(order), waitCommitment });
    }
    const { record: { message }, signatures } = collected;
    return { status: 'put_out', transaction: base64.encode(encodeTransaction(message, signatures)) };
  };

  return {
    async execute(order) {
      let prepared: Prepared | undefined;
      try {
        prepared = await prepare(order);
        return await carryOut(order, prepared);
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        // Somebody outside may have the prepared transaction and send it, so no other transaction may be made for the
        // members.
        const transience = prepared === undefined ? error.transience : undefined;
        const isUnknown = error instanceof UnknownOutcomeError || undefined;
        return {
          status: 'failed',
          errors: order.members.map(() => error.message),
          signature: null,
          transience,
          isUnknown,
        };
      }
    },
  };
}
