import { pause } from '../../_shared/pause.ts';
import { haltError, HandedBack, NodeError } from '../engine/node.ts';
import { readMemos } from './action_memo.ts';
import type { AddressSignature, ChainRpc, Commitment } from './rpc.ts';

/** The transaction that somebody else sends. */
export interface WatchedAction {
  /** Among its accounts. */
  identity: string;
  /** One of its memos. */
  memo: string;
  /** It is in no earlier slot. */
  slot: bigint;
  /** Signatures of other transactions: one of the same second may have the same memo. */
  knownSignatures: ReadonlySet<string>;
  /** Milliseconds since 1970. */
  deadline: number;
}

export interface WatchDeps {
  rpc: ChainRpc;
  waitCommitment: Commitment;
  pollMs: number;
  now: () => number;
  signal: AbortSignal;
  handBack: AbortSignal;
}

/**
 * Looks for a transaction with the action's memo until it is there, or the time is over: then undefined. What the network fails to
 * answer is asked again. Throws HandedBack when the run goes back to the queue.
 */
export async function watchAction(action: WatchedAction, deps: WatchDeps): Promise<AddressSignature | undefined> {
  const { rpc, signal, handBack, now } = deps;
  // A node lists no transactions that are only processed.
  const commitment = deps.waitCommitment === 'finalized' ? 'finalized' : 'confirmed';
  /** The newest transaction from before the action: those behind it need not be listed again. */
  let until: string | undefined;
  for (;;) {
    const isLast = now() >= action.deadline;
    try {
      const listed = await rpc.getSignaturesForAddress(action.identity, { commitment, ...(until && { until }) });
      const found = listed.find(({ signature, slot, memo }) =>
        slot >= action.slot && !action.knownSignatures.has(signature) && readMemos(memo).includes(action.memo)
      );
      if (found !== undefined) return found;
      until = listed.find(({ slot }) => slot < action.slot)?.signature ?? until;
    } catch (error) {
      if (signal.aborted) throw haltError(signal);
      if (!(error instanceof NodeError)) throw error;
    }
    if (isLast) return undefined;
    await pause(Math.min(deps.pollMs, Math.max(action.deadline - now(), 0)), signal, handBack);
    if (signal.aborted) throw haltError(signal);
    if (handBack.aborted) throw new HandedBack();
  }
}
