import { networkTurn } from '../../platform/pause.ts';

/** The bytes that are processed before the time is looked at. */
const PORTION_BYTES = 16_384;

/** The time of computing until the network and other work get a turn. */
const LONGEST_STRETCH_MS = 10;

/** Lets other work proceed if the computation has lasted for long. */
export type GiveWay = () => Promise<void> | undefined;

/** Makes the function by which one computation gives way. */
export function makeGiveWay(): GiveWay {
  let began = performance.now();
  return () => {
    if (performance.now() - began < LONGEST_STRETCH_MS) return undefined;
    return networkTurn().then(() => {
      began = performance.now();
    });
  };
}

/** Calls `work` for each portion of this many bytes, in order, and gives way after each. */
export async function inPortions(
  length: number,
  giveWay: GiveWay,
  work: (from: number, to: number) => void,
): Promise<void> {
  for (let from = 0; from < length; from += PORTION_BYTES) {
    work(from, Math.min(from + PORTION_BYTES, length));
    await giveWay();
  }
}
