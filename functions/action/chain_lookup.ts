import { messageOfWire } from './action_transaction.ts';
import { pause } from '../_shared/pause.ts';
import { withTimeLimit } from '../_shared/time_limit.ts';
import { NodeError } from '../../runner/engine/node.ts';
import { isPublicAddress, isPublicOrPrivateAddress } from '../../runner/reach/address_rules.ts';
import { makeHttpClient } from '../../runner/reach/http_client.ts';
import { findInstructions } from '../../runner/solana/action_match.ts';
import { hasReached, makeChainRpc } from '../../runner/solana/rpc.ts';

/** What is known of a transaction that was sent. */
export type SentOutcome =
  /** It is in a block, and did what the run made it for. */
  | 'confirmed'
  /** It is in a block, and the chain undid it. */
  | 'failed'
  /** It is in a block, but is not the run's. */
  | 'other'
  /** It was not found in time, or the RPC server does not answer. */
  | 'unknown';

export interface LookupTarget {
  /** The RPC address, which may hold a secret. */
  url: string;
  cluster: string;
  /** Base64 of the transaction that the run put out. */
  transaction: string;
  signature: string;
}

export interface LookupOptions {
  allowPrivateNetwork: boolean;
  /** How long a transaction is looked for. Wallets call once it is confirmed, so that it is found at once. */
  timeoutMs: number;
}

const PAUSE_MS = 1_000;
/** A transaction has 1,232 bytes; what else a node tells of it is mostly the programs' logs, of which it keeps 10 KB. */
const MAX_ANSWER_BYTES = 262_144;

/** Makes what looks for a transaction that a wallet sent, by the address rules that nodes have. */
export function makeChainLookup({ allowPrivateNetwork, timeoutMs }: LookupOptions) {
  const http = makeHttpClient({
    isAllowed: allowPrivateNetwork ? isPublicOrPrivateAddress : isPublicAddress,
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
      // The RPC server answers with an error, not at all, or something that is not its. Nobody is told, since the
      // address is the owner's.
      if (error instanceof NodeError || error instanceof DOMException) return 'unknown';
      throw error;
    }
  };
}

export type ChainLookup = ReturnType<typeof makeChainLookup>;
