import { base58 } from '@scure/base';
import { getTransactionDecoder } from '@solana/kit';
import type { LosslessJson } from '../../../types/values/value.ts';
import { pause } from '../../_shared/pause.ts';
import { type Halt, haltError, NodeError, Released } from '../engine/node.ts';
import { JsonRpcError } from './json_rpc.ts';
import { errorText, simulationError } from './member_errors.ts';
import { type ChainRpc, type Commitment, hasReached } from './rpc.ts';
import type { TransactionSettings } from './transaction_settings.ts';

/** Blocks for which a blockhash is good. Source: Agave, `MAX_PROCESSING_AGE`. */
const BLOCKHASH_BLOCKS = 150n;

/**
 * Answers that are sure to mean that the node passed nothing on: the preflight failed, a signature is wrong, the bytes are not a
 * transaction. Source: Agave, `custom_error.rs`; JSON-RPC 2.0, section 5.1.
 */
const REFUSALS: ReadonlySet<number> = new Set([-32002, -32003, -32602]);

export interface ConfirmDeps {
  rpc: ChainRpc;
  settings: Pick<TransactionSettings, 'txCommitment' | 'waitCommitment'>;
  limits: { confirmPollMs: number; resendMs: number };
  now: () => number;
  signal: AbortSignal;
  releasing: AbortSignal;
}

/** A signed transaction that is stored. */
export interface SignedTransaction {
  wire: Uint8Array;
  lastValidBlockHeight: bigint;
  /** Nobody can have sent it before: it was stored just now. */
  isFresh: boolean;
}

/** What became of it. */
export type Confirmation =
  | { status: 'confirmed'; signature: string }
  /**
   * `signature` when it was sent, or may have been; `error` where the network names one; `hasExpired`: it is sure that it will never
   * be in a block, only since its blockhash is over; `isUnknown`: it may still be executed.
   */
  | {
    status: 'failed';
    signature: string | null;
    text: string;
    error: LosslessJson | undefined;
    hasExpired?: true;
    isUnknown?: true;
  };

/** The name of a signed transaction: its fee payer's signature. */
const nameOf = (wire: Uint8Array): string =>
  base58.encode(Object.values(getTransactionDecoder().decode(wire).signatures)[0] ?? new Uint8Array());

/** The preflight refuses the transaction for its time, not for what it does: its blockhash is unknown, or it was processed before. */
const isVerdictOnTime = (error: JsonRpcError): boolean =>
  ['AlreadyProcessed', 'BlockhashNotFound'].includes(String(simulationError(error)));

/**
 * Sends a transaction, always the very same bytes, until it has the commitment that the settings want, or its blockhash has expired.
 * There is no earlier time limit: giving up would not mean that nothing was transferred. Only a refusal of the very first send proves
 * by itself that the transaction will never be in a block. Throws Released when the run is released.
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
  /** The last reason that a node gave for not taking it. */
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

  /** The slot of a confirmed block in which the transaction can no longer land; undefined before that. */
  const slotOfExpiry = async (): Promise<bigint | undefined> => {
    const latest = await rpc.getLatestBlockhash('confirmed');
    return latest.lastValidBlockHeight - BLOCKHASH_BLOCKS > lastValidBlockHeight ? latest.slot : undefined;
  };

  let expirySlot: bigint | undefined;
  let sendAt = 0;
  /** Looks once, and does what follows from it. Undefined while nothing is sure. */
  const step = async (): Promise<Confirmation | undefined> => {
    const { slot, statuses: [status] } = await rpc.getSignatureStatuses([signature]);
    if (status) {
      if (!hasReached(status, settings.waitCommitment)) return undefined;
      return status.err === null
        ? { status: 'confirmed', signature }
        : failed(`transaction ${signature} failed: ${errorText(status.err)}`, status.err);
    }
    if (expirySlot !== undefined) {
      // Another node of the same address may be behind the one that told of the expiry.
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
    // SAFETY: what the function assigned is not narrowed away.
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
      // Without an answer nothing is known, so it asks again.
      if (!(error instanceof NodeError)) throw error;
    }
    if (!signal.aborted && !releasing.aborted) await pause(limits.confirmPollMs, signal, releasing);
    if (signal.aborted) {
      // SAFETY: whoever aborts it gives a Halt.
      const { message } = signal.reason as Halt;
      const text = `${message}; transaction ${signature} was sent and may still be executed`;
      return { ...failed(text, undefined), isUnknown: true };
    }
    if (releasing.aborted) throw new Released();
  }
}
