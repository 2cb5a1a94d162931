import { base64 } from '@scure/base';
import type { RunSettings } from '../claims.ts';
import { type Halt, haltError, HandedBack, type HttpClient, NodeError } from '../engine/node.ts';
import type {
  StoredTransaction,
  TransactionEnd,
  TransactionOrder,
  Transactions,
  TransactionStore,
} from '../engine/transaction.ts';
import { watchAction } from './action_watch.ts';
import { buildTransaction, signersOfOrder } from './build_transaction.ts';
import { type Collected, collectSignatures, listSignatures } from './collect_signatures.ts';
import { confirmTransaction } from './confirm.ts';
import { errorText, memberErrors } from './member_errors.ts';
import { encodeTransaction, readMessage, signersOf } from './message.ts';
import { makeChainRpc } from './rpc.ts';
import type { OpenWallet } from './signing.ts';
import { readTransactionSettings, type TransactionSettings } from './transaction_settings.ts';

export interface TransactionsOptions {
  /** The run that was started. */
  run: { id: string; settings: RunSettings };
  http: HttpClient;
  store: TransactionStore;
  openWallet: OpenWallet;
  limits: {
    /** How long somebody has to sign. */
    signatureTimeoutMs: number;
    /** How long the action's signer has to send the transaction. */
    actionTimeoutMs: number;
    /** How often the status of a sent transaction is asked for, and the action's transaction is looked for. */
    confirmPollMs: number;
    actionPollMs: number;
    /** How often a transaction that is in no block yet is sent again. */
    resendMs: number;
  };
  /** Of Helius, who then tells what a middling priority costs. */
  heliusApiKey?: string | undefined;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Runs what waits for the chain: meanwhile the worker may execute other runs. */
  resting: <T>(work: () => Promise<T>) => Promise<T>;
  /** Runs what only waits for somebody outside: its time is no work of the run. */
  waiting: <T>(work: () => Promise<T>) => Promise<T>;
}

/** What a run does with its transactions. */
type Mode =
  | { type: 'send' }
  | { type: 'put_out'; identity: string | undefined }
  | { type: 'action'; identity: string; signer: string };

function modeOf({ output_instructions, action_identity, action_signer }: RunSettings): Mode {
  if (output_instructions) return { type: 'put_out', identity: action_identity ?? undefined };
  if (action_identity === null || action_signer === null) return { type: 'send' };
  return { type: 'action', identity: action_identity, signer: action_signer };
}

/** What is stored again of a transaction, and its requests. */
function forStoring({ outcome: _outcome, signature: _signature, ...rest }: StoredTransaction) {
  return rest;
}

/** The key whose signature is left out. */
function leftOut(mode: Mode, message: string): string | undefined {
  const signers = signersOf(readMessage(base64.decode(message)));
  if (mode.type === 'put_out') return signers[0];
  if (mode.type === 'send') return undefined;
  if (signers.includes(mode.signer)) return mode.signer;
  throw new NodeError(`the action signer ${mode.signer} is not in signers`);
}

/** Makes the transactions of one run, as its settings want them: sent, put out, or given to the signer of an action. */
export function makeTransactions(options: TransactionsOptions): Transactions {
  const { run, store, openWallet, limits, now } = options;
  const mode = modeOf(run.settings);
  const feeCount = run.settings.fees.length;

  const confirm = async (
    order: TransactionOrder,
    settings: TransactionSettings,
    { record: unsent, signatures }: Collected,
  ): Promise<TransactionEnd> => {
    const isFresh = unsent.wire === null;
    const wire = unsent.wire ?? base64.encode(encodeTransaction(base64.decode(unsent.message), signatures));
    const record = { ...unsent, wire };
    // Stored before it is sent: nobody will ever make another one instead.
    if (isFresh) await store.store(record, []);
    const { signal, handBack } = order;
    const end = await options.resting(() =>
      confirmTransaction(
        { wire: base64.decode(wire), lastValidBlockHeight: BigInt(record.last_valid_block_height), isFresh },
        { rpc: rpcFor(order), settings, limits, now, signal, handBack },
      )
    );
    return end.status === 'confirmed' ? { ...end, hasFees: record.has_fees } : {
      status: 'failed',
      errors: memberErrors(record, feeCount, end.error, end.text),
      signature: end.signature,
    };
  };

  const awaitAction = async (
    order: TransactionOrder,
    { waitCommitment }: TransactionSettings,
    { identity, signer }: Extract<Mode, { type: 'action' }>,
    { record, requests, signatures }: Collected,
  ): Promise<TransactionEnd> => {
    const { signal, handBack, knownSignatures } = order;
    const isTheirs = ({ pubkey }: { pubkey: string }) => pubkey === signer;
    const request = requests.find(isTheirs) ?? (await store.store(record, [{
      pubkey: signer,
      msg: record.message,
      signatures: listSignatures(signatures),
      timeout_ms: limits.actionTimeoutMs,
    }])).find(isTheirs);
    if (request === undefined) throw new Error('the store gave no request of the action signer');
    const action = {
      identity,
      memo: record.memo ?? '',
      slot: BigInt(record.slot),
      knownSignatures,
      deadline: Date.parse(request.expires_at),
    };
    const deps = { rpc: rpcFor(order), waitCommitment, pollMs: limits.actionPollMs, now, signal, handBack };
    try {
      const found = await options.waiting(() => watchAction(action, deps));
      if (found === undefined) throw new NodeError(`timeout: ${signer} did not send the transaction in time`);
      const { signature, err } = found;
      if (err === null) return { status: 'confirmed', signature, hasFees: record.has_fees };
      const text = `transaction ${signature} failed: ${errorText(err)}`;
      return { status: 'failed', errors: memberErrors(record, feeCount, err, text), signature };
    } catch (error) {
      if (!signal.aborted) throw error;
      // SAFETY: whoever aborts it gives a Halt.
      const { message } = signal.reason as Halt;
      throw new NodeError(`${message}; ${signer} has the transaction and may still send it`);
    }
  };

  const rpcFor = ({ signal, handBack }: TransactionOrder) =>
    makeChainRpc({ http: options.http, signal, handBack, run: { network: run.settings.chain_network } });

  const build = (order: TransactionOrder, settings: TransactionSettings) =>
    buildTransaction(order, mode.type === 'send' ? undefined : mode.identity, {
      run,
      settings,
      caller: { http: options.http, signal: order.signal, handBack: order.handBack },
      rpc: rpcFor(order),
      openWallet,
      heliusApiKey: options.heliusApiKey,
      now,
    });

  const carryOut = async (order: TransactionOrder): Promise<TransactionEnd> => {
    const { signal, handBack, stored } = order;
    if (signal.aborted && (stored?.wire ?? null) === null) throw haltError(signal);
    if (handBack.aborted) throw new HandedBack();
    const settings = readTransactionSettings(order.environment);
    const { requests, ...record } = stored === undefined
      ? { requests: [], ...await build(order, settings) }
      : forStoring(stored);
    if (record.wire !== null) return await confirm(order, settings, { record, requests, signatures: new Map() });

    const collected = await collectSignatures(
      { record, requests, signers: signersOfOrder(order, settings), left: leftOut(mode, record.message) },
      { store, openWallet, signatureTimeoutMs: limits.signatureTimeoutMs, now },
    );
    if (collected === undefined) return { status: 'waiting' };
    if (mode.type === 'send') return await confirm(order, settings, collected);
    if (mode.type === 'action') return await awaitAction(order, settings, mode, collected);
    const { record: { message }, signatures } = collected;
    return { status: 'put_out', transaction: base64.encode(encodeTransaction(base64.decode(message), signatures)) };
  };

  return {
    async execute(order) {
      try {
        return await carryOut(order);
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        return { status: 'failed', errors: order.members.map(() => error.message), signature: null };
      }
    },
  };
}
