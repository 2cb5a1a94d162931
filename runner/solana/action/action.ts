import type { Commitment } from '@solana/kit';
import { mayStillSend, UnknownOutcomeError } from '../sent_before.ts';
import type { TransactionEnd, TransactionOrder, TransactionStore } from '../transaction_order.ts';
import { watchAction } from './action_watch.ts';
import { type Collected, listSignatures } from '../signing/collect_signatures.ts';
import { errorText, memberErrors } from '../member_errors.ts';
import type { ChainRpc } from '../rpc/rpc.ts';

interface ActionDeps {
  rpc: ChainRpc;
  store: TransactionStore;
  waitCommitment: Commitment;
  limits: { actionTimeoutMs: number; actionPollMs: number };
  now: () => number;
  /** Waits for a person or wallet outside the backend. The time of this wait does not count as work of the run. */
  waiting: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * Asks the action's signer to send the transaction, which has all other signatures, and waits until it is in a block.
 * Throws Released when the run is released. Throws an UnknownOutcomeError if the wait ends and the signer could still
 * send the transaction.
 */
export async function awaitAction(
  { signal, releasing, knownSignatures, log }: TransactionOrder,
  { identity, signer }: { identity: string; signer: string },
  { record, requests, signatures }: Collected,
  { rpc, store, waitCommitment, limits, now, waiting }: ActionDeps,
): Promise<TransactionEnd> {
  const isTheirs = ({ pubkey }: { pubkey: string }) => pubkey === signer;
  const request = requests.find(isTheirs) ?? (await store.store(record, [{
    pubkey: signer,
    msg: record.message,
    signatures: listSignatures(signatures),
    timeout_ms: limits.actionTimeoutMs,
  }])).find(isTheirs);
  if (request === undefined) throw new Error('the store returned no signature request for the action signer');
  const action = {
    identity,
    memo: record.memo ?? '',
    message: record.message,
    slot: BigInt(record.slot),
    knownSignatures,
    deadline: Date.parse(request.expires_at),
  };
  const warn = (content: string) => log('Warn', content);
  const deps = { rpc, waitCommitment, pollMs: limits.actionPollMs, now, signal, releasing, warn };
  try {
    const found = await waiting(() => watchAction(action, deps));
    if (found === undefined) throw new UnknownOutcomeError(`timeout: ${signer} did not send the transaction in time`);
    const { signature, err, positions } = found;
    if (err === null) return { status: 'confirmed', signature, hasFees: record.has_fees };
    const text = `transaction ${signature} failed: ${errorText(err)}`;
    return { status: 'failed', errors: memberErrors(record, err, text, positions), signature };
  } catch (error) {
    throw signal.aborted ? mayStillSend(signer, signal) : error;
  }
}
