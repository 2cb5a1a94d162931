import { pause } from '../../_shared/pause.ts';
import { haltError, NodeError, Released } from '../engine/node.ts';
import { findInstructions } from './action_match.ts';
import { readMemos } from './action_memo.ts';
import { JsonRpcError } from './json_rpc.ts';
import { UnknownOutcomeError } from './sent_before.ts';
import type { AddressSignature, ChainRpc, Commitment } from './rpc.ts';

/** "Method not found". Source: JSON-RPC 2.0, section 5.1. */
const METHOD_NOT_FOUND = -32601;

/** The transaction that somebody else sends. */
export interface WatchedAction {
  /** Among its accounts. */
  identity: string;
  /** One of its memos. */
  memo: string;
  /** Base64 of the message that was given to its sender, who may have changed it: its instructions are in the transaction. */
  message: string;
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
  releasing: AbortSignal;
  /** Writes a warning into the log of the run. */
  warn: (content: string) => void;
}

export interface FoundAction extends AddressSignature {
  /** Where it has the message's instructions, but for the compute budget's; undefined when the RPC server can't tell. */
  places: number[] | undefined;
}

/**
 * Looks for the action's transaction until it is there or the time is over. Then it returns undefined, or throws when the last look
 * had no answer, since the transaction may be there. The memo only tells where to look, since whoever has the message can send its
 * memo with anything: what counts is that all instructions are there. What the network fails to answer is asked again. Throws
 * Released when the run is released.
 */
export async function watchAction(action: WatchedAction, deps: WatchDeps): Promise<FoundAction | undefined> {
  const { rpc, signal, releasing, now, warn } = deps;
  // A node lists no transactions that are only processed.
  const commitment = deps.waitCommitment === 'finalized' ? 'finalized' : 'confirmed';
  const passedOver = new Set(action.knownSignatures);
  const unread = new Set<string>();

  /** The transaction when it is the action's; undefined when it is not, or can't be read yet. */
  const check = async (listed: AddressSignature): Promise<FoundAction | undefined> => {
    const { signature } = listed;
    try {
      const landed = await rpc.getTransaction(signature, commitment);
      // Another node of the same address may be behind the one that listed it.
      if (landed === null) return undefined;
      const places = await findInstructions(action.message, landed, rpc, commitment);
      if (places !== undefined) return { ...listed, places };
      warn(`transaction ${signature} has the memo of the action, but not all of its instructions: it is passed over`);
      passedOver.add(signature);
    } catch (error) {
      if (signal.aborted || !(error instanceof NodeError)) throw error;
      if (error instanceof JsonRpcError && error.code === METHOD_NOT_FOUND) {
        warn(`transaction ${signature} is taken for the action's by its memo alone: the RPC server can't show it`);
        return { ...listed, places: undefined };
      }
      // One that can't be read must not keep the others from being looked at.
      if (!unread.has(signature)) warn(`transaction ${signature} has the memo of the action, but: ${error.message}`);
      unread.add(signature);
    }
    return undefined;
  };

  /** The newest transaction from before the action. Older ones need not be listed again. */
  let until: string | undefined;
  const look = async (): Promise<FoundAction | undefined> => {
    const listed = await rpc.getSignaturesForAddress(action.identity, { commitment, ...(until && { until }) });
    for (const one of listed) {
      if (one.slot < action.slot || passedOver.has(one.signature) || !readMemos(one.memo).includes(action.memo)) {
        continue;
      }
      const found = await check(one);
      if (found !== undefined) return found;
    }
    until = listed.find(({ slot }) => slot < action.slot)?.signature ?? until;
    return undefined;
  };

  for (;;) {
    const isLast = now() >= action.deadline;
    try {
      const found = await look();
      if (found !== undefined) return found;
    } catch (error) {
      if (signal.aborted) throw haltError(signal);
      if (!(error instanceof NodeError)) throw error;
      if (isLast) {
        throw new UnknownOutcomeError(`timeout: whether the transaction was sent is not known: ${error.message}`);
      }
    }
    if (isLast) return undefined;
    await pause(Math.min(deps.pollMs, Math.max(action.deadline - now(), 0)), signal, releasing);
    if (signal.aborted) throw haltError(signal);
    if (releasing.aborted) throw new Released();
  }
}
