import { base58 } from '@scure/base';
import { createHash, randomBytes } from 'node:crypto';

/** How old a bank is that a client asks: what is newer than its slot does not exist for it. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** Slots that a block needs to reach a commitment. Source: Solana documentation, "Commitment status"; 31 blocks on top of one finalize it. */
const DEPTHS: { [level in Commitment]: bigint } = { processed: 0n, confirmed: 1n, finalized: 32n };

/** Blocks for which a blockhash is good. Source: Agave, `MAX_PROCESSING_AGE`. */
export const BLOCKHASH_BLOCKS = 150n;

/** As many slots before the chain's first had no block. */
const SLOTS_WITHOUT_BLOCK = 20_000_000n;

/** Time of a chain in slots, each with a block and a hash of its own. No slot is skipped. */
export interface SlotClock {
  /** The newest slot that a commitment knows. */
  slot: (commitment?: Commitment) => bigint;
  /** Blocks up to a slot: fewer than slots, as on every network, so that one taken for the other is noticed. */
  blockHeight: (slot: bigint) => bigint;
  blockhash: (slot: bigint) => string;
  /** The slot of a blockhash that a transaction may still carry, as the commitment's bank sees it; undefined for another. */
  slotOfBlockhash: (blockhash: string, commitment: Commitment) => bigint | undefined;
  /** The highest commitment that a slot has reached. */
  commitmentOf: (slot: bigint) => Commitment;
  /** Lets slots go by at once. */
  advance: (slots: bigint) => void;
}

/**
 * Makes a clock with a slot each `slotMs` from now on, or with 0 one that stands still until it is advanced. Nothing runs between
 * questions: slots are counted, and hashes derived, when they are asked for.
 */
export function makeSlotClock(firstSlot: bigint, slotMs: number): SlotClock {
  const seed = randomBytes(32);
  const start = performance.now();
  let advanced = 0n;
  const newest = () =>
    firstSlot + advanced + (slotMs > 0 ? BigInt(Math.floor((performance.now() - start) / slotMs)) : 0n);
  const slot = (commitment: Commitment = 'processed') => newest() - DEPTHS[commitment];
  const hashOf = (at: bigint) => createHash('sha256').update(seed).update(String(at)).digest();
  return {
    slot,
    blockHeight: (at) => at - SLOTS_WITHOUT_BLOCK,
    blockhash: (at) => base58.encode(hashOf(at)),
    slotOfBlockhash(blockhash, commitment) {
      const last = slot(commitment);
      const hash = base58.decode(blockhash);
      for (let at = last; at >= last - BLOCKHASH_BLOCKS; at--) if (hashOf(at).equals(hash)) return at;
      return undefined;
    },
    commitmentOf(at) {
      const depth = newest() - at;
      return depth >= DEPTHS.finalized ? 'finalized' : depth >= DEPTHS.confirmed ? 'confirmed' : 'processed';
    },
    advance: (slots) => void (advanced += slots),
  };
}
