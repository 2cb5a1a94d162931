import { base58, base64 } from '@scure/base';
import { haltError, NodeError } from '../engine/node.ts';
import type { StoredTransaction } from './transaction_order.ts';

/** The error of a transaction that the runner no longer controls and that may still be executed. */
export class UnknownOutcomeError extends NodeError {}

/** Makes the error of a run that ends after the action's signer got the transaction and may still send it. */
export const mayStillSend = (signer: string | undefined, signal: AbortSignal): NodeError =>
  new UnknownOutcomeError(`${haltError(signal).message}; ${signer} has the transaction and may still send it`);

/**
 * Makes the error of a node whose run ends although its transaction may be under way. An earlier claim has sent that
 * transaction, or has asked the action's signer to send it.
 */
export function sentBeforeError({ wire, requests }: StoredTransaction, signal: AbortSignal): NodeError {
  // The action's signer is asked last, after all others have signed.
  if (wire === null) return mayStillSend(requests.at(-1)?.pubkey, signal);
  // The fee payer's signature follows the count of signatures, which takes one byte.
  const signature = base58.encode(base64.decode(wire).subarray(1, 65));
  return new UnknownOutcomeError(
    `${haltError(signal).message}; transaction ${signature} was signed before, and may be executed`,
  );
}
