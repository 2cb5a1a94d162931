import { base58 } from '@scure/base';
import { createHash, randomBytes } from 'node:crypto';
import type { Commitment } from '@solana/kit';

/**
 * Slots that a block needs to reach a commitment. Source: Solana documentation, "Commitment status"; 31 blocks on top
 * of a block finalize it.
 */
const DEPTHS: { [level in Commitment]: bigint } = { processed: 0n, confirmed: 1n, finalized: 32n };

/** Number of blocks for which a blockhash is valid. Source: Agave, `MAX_PROCESSING_AGE`. */
export const BLOCKHASH_BLOCKS = 150n;

/** The number of slots without a block before the chain's first block. */
const SLOTS_WITHOUT_BLOCK = 20_000_000n;

/** The time of a chain in slots. Every slot has a block with its own hash. */
export interface SlotClock {
  /** The newest slot that has reached a commitment. */
  slot: (commitment?: Commitment) => bigint;
  /**
   * Returns the number of blocks up to a slot. As on every network, there are fewer blocks than slots. So code that
   * confuses slots with block heights fails.
   */
  blockHeight: (slot: bigint) => bigint;
  blockhash: (slot: bigint) => string;
  /** The slot of a blockhash that is valid under the commitment; undefined for any other blockhash. */
  slotOfBlockhash: (blockhash: string, commitment: Commitment) => bigint | undefined;
  /** The highest commitment that a slot has reached. */
  commitmentOf: (slot: bigint) => Commitment;
  /** Moves the clock forward by this many slots at once. */
  advance: (slots: bigint) => void;
}

/**
 * Makes a clock with a slot every `slotMs` from now on. If `slotMs` is 0, the clock stands still until it is advanced.
 * The clock needs no timer: it counts slots and derives hashes when they are read.
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
