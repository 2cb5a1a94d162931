import { messageOfWire } from './action_transaction.ts';
import { pause } from '../../platform/pause.ts';
import { withTimeLimit } from '../../platform/time_limit.ts';
import { NodeError } from '../../runner/engine/node.ts';
import { addressRule } from '../../runner/reach/address_rules.ts';
import { makeHttpClient } from '../../runner/reach/http_client.ts';
import { findInstructions } from '../../runner/solana/action/action_match.ts';
import { hasReached, makeChainRpc } from '../../runner/solana/rpc/rpc.ts';

/** The known state of a sent transaction. */
export type SentOutcome =
  /** The transaction is in a block, and it is the transaction of the run. */
  | 'confirmed'
  /** The transaction of the run is in a block, but it failed there. */
  | 'failed'
  /** The transaction is in a block, but it is not the transaction of the run. */
  | 'other'
  /** The transaction was not found in time, or the RPC server does not answer. */
  | 'unknown';

interface LookupTarget {
  /** The RPC address, which may hold a secret. */
  url: string;
  cluster: string;
  /** Base64 of the transaction that the run has output. */
  transaction: string;
  signature: string;
}

interface LookupOptions {
  allowPrivateNetwork: boolean;
  /**
   * The time for which a transaction is looked for. Wallets call after the confirmation, so most transactions are found
   * at once.
   */
  timeoutMs: number;
}

const PAUSE_MS = 1_000;
/**
 * A transaction has 1,232 bytes. The rest of the answer is mostly the programs' logs. An RPC server keeps 10 KB of
 * them.
 */
const MAX_ANSWER_BYTES = 262_144;

/**
 * Makes a look-up of transactions that wallets have sent. The look-up may reach the same addresses as the nodes of
 * flows.
 */
export function makeChainLookup({ allowPrivateNetwork, timeoutMs }: LookupOptions) {
  const http = makeHttpClient({
    isAllowed: addressRule(allowPrivateNetwork),
    timeoutMs,
    maxResponseBytes: MAX_ANSWER_BYTES,
  });

  const look = async ({ url, cluster, transaction, signature }: LookupTarget, signal: AbortSignal) => {
    const rpc = makeChainRpc({ http, signal, releasing: signal, run: { network: { url, cluster } } });
    for (;;) {
      const { statuses: [status = null] } = await rpc.getSignatureStatuses([signature]);
      if (status !== null && hasReached(status, 'confirmed')) {
        const landed = await rpc.getTransaction(signature, 'confirmed');
        if (landed !== null) {
          const places = await findInstructions(messageOfWire(transaction), landed, rpc, 'confirmed');
          return places === undefined ? 'other' : status.err === null ? 'confirmed' : 'failed';
        }
      }
      await pause(PAUSE_MS, signal);
      if (signal.aborted) return 'unknown';
    }
  };

  return async (target: LookupTarget): Promise<SentOutcome> => {
    try {
      return await withTimeLimit(timeoutMs, (signal) => look(target, signal));
    } catch (error) {
      // The RPC server answered with an error or with invalid data, or did not answer. The cause is dropped, because it
      // may quote the owner's RPC address.
      if (error instanceof NodeError || error instanceof DOMException) return 'unknown';
      throw error;
    }
  };
}

export type ChainLookup = ReturnType<typeof makeChainLookup>;
