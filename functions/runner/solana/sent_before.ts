import { base58, base64 } from '@scure/base';
import { haltError, NodeError } from '../engine/node.ts';
import type { StoredTransaction } from './transaction.ts';

/** The error of a transaction that is out of the runner's hands, and may be executed though nobody looks any more. */
export class UnknownOutcomeError extends NodeError {}

/** The error of a run that ends while the signer of its action has the transaction. */
export const mayStillSend = (signer: string | undefined, signal: AbortSignal): NodeError =>
  new UnknownOutcomeError(`${haltError(signal).message}; ${signer} has the transaction and may still send it`);

/** The error of a node whose transaction an earlier claim had given out of its hands when the run was ended. */
export function sentBeforeError({ wire, requests }: StoredTransaction, signal: AbortSignal): NodeError {
  // Whoever signs an action is asked when all others have signed.
  if (wire === null) return mayStillSend(requests.at(-1)?.pubkey, signal);
  // After the count of signatures, one byte, the fee payer's comes first.
  const signature = base58.encode(base64.decode(wire).subarray(1, 65));
  return new UnknownOutcomeError(
    `${haltError(signal).message}; transaction ${signature} was signed before, and may be executed`,
  );
}
