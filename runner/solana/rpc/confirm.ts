import { base58 } from '@scure/base';
import { type Commitment, getTransactionDecoder } from '@solana/kit';
import type { LosslessJson } from '../../../types/values/value.ts';
import { pause } from '../../../platform/pause.ts';
import { type Halt, haltError, NodeError, Released } from '../../engine/node.ts';
import { JsonRpcError } from './json_rpc.ts';
import { errorText, simulationError } from '../member_errors.ts';
import { type ChainRpc, hasReached } from './rpc.ts';
import type { TransactionSettings } from '../read_transaction_settings.ts';

/** Number of blocks for which a blockhash is valid. Source: Agave, `MAX_PROCESSING_AGE`. */
const BLOCKHASH_BLOCKS = 150n;

/**
 * Error codes which prove that the RPC node did not forward the transaction. The preflight failed, a signature is
 * wrong, or the bytes are not a transaction. Source: Agave, `custom_error.rs`; JSON-RPC 2.0, section 5.1.
 */
const REFUSALS: ReadonlySet<number> = new Set([-32002, -32003, -32602]);

interface ConfirmDeps {
  rpc: ChainRpc;
  settings: Pick<TransactionSettings, 'txCommitment' | 'waitCommitment'>;
  limits: { confirmPollMs: number; resendMs: number };
  now: () => number;
  signal: AbortSignal;
  releasing: AbortSignal;
}

/** A signed transaction that is stored. */
interface SignedTransaction {
  wire: Uint8Array;
  lastValidBlockHeight: bigint;
  /** True if this claim has just stored the transaction. It can then not have been sent before. */
  isFresh: boolean;
}

/** The outcome of sending a transaction. */
type Confirmation =
  | { status: 'confirmed'; signature: string }
  /**
   * `signature` is null if the transaction certainly was not sent. `error` is the network's error, if the network names
   * one. If `hasExpired`, the blockhash has expired, so the transaction will never be in a block. If `isUnknown`, the
   * transaction may still be executed.
   */
  | {
    status: 'failed';
    signature: string | null;
    text: string;
    error: LosslessJson | undefined;
    hasExpired?: true;
    isUnknown?: true;
  };

/** Returns the fee payer's signature, which identifies a signed transaction. */
const nameOf = (wire: Uint8Array): string =>
  base58.encode(Object.values(getTransactionDecoder().decode(wire).signatures)[0] ?? new Uint8Array());

/**
 * True if the preflight refuses the transaction because its blockhash is unknown or because it was processed before.
 */
const isVerdictOnTime = (error: JsonRpcError): boolean =>
  ['AlreadyProcessed', 'BlockhashNotFound'].includes(String(simulationError(error)));

/**
 * Sends the same bytes of a transaction until it reaches the commitment of the settings or its blockhash has expired.
 * There is no other time limit, because the transaction could still be executed after such a limit. If an RPC node
 * refuses the very first send, the transaction will never be in a block. There are two exceptions: the blockhash is
 * unknown, or the transaction was processed before. A later refusal proves nothing, because an earlier send may have
 * succeeded. Throws Released when the run is released.
 */
export async function confirmTransaction(
  { wire, lastValidBlockHeight, isFresh }: SignedTransaction,
  { rpc, settings, limits, now, signal, releasing }: ConfirmDeps,
): Promise<Confirmation> {
  const signature = nameOf(wire);
  const failed = (text: string, error: LosslessJson | undefined): Confirmation & { status: 'failed' } => ({
    status: 'failed',
    signature,
    text,
    error,
  });
  /** The last error with which an RPC node refused the transaction. */
  let refusal: JsonRpcError | undefined;

  const send = async (preflight: Commitment | 'skip'): Promise<void> => {
    try {
      await rpc.sendTransaction(wire, preflight);
      refusal = undefined;
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      if (error instanceof JsonRpcError) refusal = error;
    }
  };

  /**
   * Returns a slot after which no new block can contain the transaction. Undefined while a new block can still contain
   * it.
   */
  const slotOfExpiry = async (): Promise<bigint | undefined> => {
    const latest = await rpc.getLatestBlockhash('confirmed');
    return latest.lastValidBlockHeight - BLOCKHASH_BLOCKS > lastValidBlockHeight ? latest.slot : undefined;
  };

  let expirySlot: bigint | undefined;
  let sendAt = 0;
  /** Reads the status once and acts on it. Returns undefined while the outcome is open. */
  const step = async (): Promise<Confirmation | undefined> => {
    const { slot, statuses: [status] } = await rpc.getSignatureStatuses([signature]);
    if (status) {
      if (!hasReached(status, settings.waitCommitment)) return undefined;
      return status.err === null
        ? { status: 'confirmed', signature }
        : failed(`transaction ${signature} failed: ${errorText(status.err)}`, status.err);
    }
    if (expirySlot !== undefined) {
      // The RPC node that answers now may be behind the node that reported the expiry.
      if (slot < expirySlot) return undefined;
      const reason = refusal === undefined ? '' : `; the network said: ${refusal.message}`;
      const text = `transaction ${signature} has expired, nothing was transferred${reason}`;
      return { ...failed(text, refusal && simulationError(refusal)), hasExpired: true };
    }
    if (now() < sendAt) return undefined;
    expirySlot = await slotOfExpiry();
    if (expirySlot !== undefined) return await step();
    await send('skip');
    sendAt = now() + limits.resendMs;
    return undefined;
  };

  if (isFresh) {
    if (signal.aborted) throw haltError(signal);
    await send(settings.txCommitment);
    // SAFETY: TypeScript narrows `refusal` by its initial value and does not see the assignment in `send`.
    const answer = refusal as JsonRpcError | undefined;
    if (answer !== undefined && REFUSALS.has(answer.code) && !isVerdictOnTime(answer)) {
      return { status: 'failed', signature: null, text: answer.message, error: simulationError(answer) };
    }
    sendAt = answer === undefined ? now() + limits.resendMs : 0;
  }
  for (;;) {
    try {
      const end = await step();
      if (end !== undefined) return end;
    } catch (error) {
      // Without an answer the outcome is unknown, so the loop asks again.
      if (!(error instanceof NodeError)) throw error;
    }
    if (!signal.aborted && !releasing.aborted) await pause(limits.confirmPollMs, signal, releasing);
    if (signal.aborted) {
      // SAFETY: the signal is always aborted with a Halt.
      const { message } = signal.reason as Halt;
      const text = `${message}; transaction ${signature} was sent and may still be executed`;
      return { ...failed(text, undefined), isUnknown: true };
    }
    if (releasing.aborted) throw new Released();
  }
}
