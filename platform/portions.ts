import { makeComputingLine } from './computing_line.ts';
import { networkTurn } from './pause.ts';

/** The bytes that are processed before the time is looked at. */
const PORTION_BYTES = 16_384;

/** The time of computing until the network and other work get a turn. */
const LONGEST_STRETCH_MS = 10;

/** Lets other work proceed if the computation has lasted for long. */
export type GiveWay = () => Promise<void> | undefined;

/**
 * Between two turns of the network, one computation goes on. If each waited for a turn of its own, the timers of many
 * would end together, and the network would wait for all of them.
 */
const nextStretch = makeComputingLine(networkTurn);

let computations = 0;

/** Waits until this computation may begin. */
export const beginStretch = (): Promise<void> => nextStretch(String(computations += 1));

/** Makes the function by which one computation gives way. */
export function makeGiveWay(): GiveWay {
  const computation = String(computations += 1);
  let began = performance.now();
  return () => {
    if (performance.now() - began < LONGEST_STRETCH_MS) return undefined;
    return nextStretch(computation).then(() => {
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
