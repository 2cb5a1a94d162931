import type { Commitment } from '@solana/kit';
import { pause } from '../../../platform/pause.ts';
import { haltError, NodeError, Released } from '../../engine/node.ts';
import { findInstructions } from './action_match.ts';
import { readMemos } from './action_memo.ts';
import { JsonRpcError } from '../rpc/json_rpc.ts';
import { UnknownOutcomeError } from '../sent_before.ts';
import type { AddressSignature, ChainRpc } from '../rpc/rpc.ts';

/** "Method not found". Source: JSON-RPC 2.0, section 5.1. */
const METHOD_NOT_FOUND = -32601;

/** A transaction that the action's signer is expected to send. */
interface WatchedAction {
  /** Public key of the action's identity, which is among the transaction's accounts. */
  identity: string;
  /** The text of one of the transaction's memos. */
  memo: string;
  /** Base64 of the message that the signer got. The signer may change the message, but must keep its instructions. */
  message: string;
  /** The slot in which the message was made. The transaction can't be in an earlier slot. */
  slot: bigint;
  /**
   * Signatures of the run's other transactions. The search skips these transactions, because one that was made in the
   * same second has the same memo.
   */
  knownSignatures: ReadonlySet<string>;
  /** Milliseconds since 1970. */
  deadline: number;
}

interface WatchDeps {
  rpc: ChainRpc;
  waitCommitment: Commitment;
  pollMs: number;
  now: () => number;
  signal: AbortSignal;
  releasing: AbortSignal;
  /** Writes a warning into the log of the run. */
  warn: (content: string) => void;
}

interface FoundAction extends AddressSignature {
  /**
   * Indexes of the message's instructions, without those of the compute budget. Undefined if the RPC server can't show
   * the transaction.
   */
  positions: number[] | undefined;
}

/**
 * Looks for the action's transaction. Returns undefined if the transaction is not found before the deadline. A
 * transaction counts only if it has all instructions of the message. The memo alone is no proof, because anybody who
 * has the message can send its memo with other instructions. If the network fails, looks again. If the last look before
 * the deadline fails, throws an UnknownOutcomeError. Throws Released when the run is released.
 */
export async function watchAction(action: WatchedAction, deps: WatchDeps): Promise<FoundAction | undefined> {
  const { rpc, signal, releasing, now, warn } = deps;
  // RPC nodes don't list transactions that are only processed.
  const commitment = deps.waitCommitment === 'finalized' ? 'finalized' : 'confirmed';
  const passedOver = new Set(action.knownSignatures);
  const unread = new Set<string>();

  /**
   * Returns the listed transaction if it belongs to the action. Returns undefined if it does not, or if it can't be
   * read yet.
   */
  const check = async (listed: AddressSignature): Promise<FoundAction | undefined> => {
    const { signature } = listed;
    try {
      const landed = await rpc.getTransaction(signature, commitment);
      // The RPC node that answers now may be behind the node that listed the transaction.
      if (landed === null) return undefined;
      const positions = await findInstructions(action.message, landed, rpc, commitment);
      if (positions !== undefined) return { ...listed, positions };
      warn(`transaction ${signature} has the memo of the action, but not all of its instructions: it is passed over`);
      passedOver.add(signature);
    } catch (error) {
      if (signal.aborted || !(error instanceof NodeError)) throw error;
      if (error instanceof JsonRpcError && error.code === METHOD_NOT_FOUND) {
        warn(`transaction ${signature} is taken for the action's by its memo alone: the RPC server can't show it`);
        return { ...listed, positions: undefined };
      }
      // A transaction that can't be read must not stop the check of the other transactions.
      if (!unread.has(signature)) warn(`transaction ${signature} has the memo of the action, but: ${error.message}`);
      unread.add(signature);
    }
    return undefined;
  };

  /**
   * Signature of the newest listed transaction that is in an earlier slot than `action.slot`. Later looks list only
   * newer transactions.
   */
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
        throw new UnknownOutcomeError(`timeout: it is not known whether the transaction was sent: ${error.message}`);
      }
    }
    if (isLast) return undefined;
    await pause(Math.min(deps.pollMs, Math.max(action.deadline - now(), 0)), signal, releasing);
    if (signal.aborted) throw haltError(signal);
    if (releasing.aborted) throw new Released();
  }
}
