import { type GiveWay, inPortions } from '../../platform/portions.ts';

/** Finds many needles in one pass over the bytes. */
export interface Automaton {
  /**
   * Searches a portion of the bytes. For each place after which a needle ends, reports the length of the longest one.
   * Returns the state in which the search of the next portion begins; the first state is 0.
   */
  search: (
    bytes: Uint8Array,
    from: number,
    to: number,
    state: number,
    report: (end: number, length: number) => void,
  ) => number;
}

/**
 * Makes the automaton of Aho and Corasick. Its states are the beginnings of the needles. Building it takes time in
 * proportion to the needles' bytes, and searching to the searched bytes, whatever they are.
 */
export async function makeAutomaton(needles: readonly Uint8Array[], giveWay: GiveWay): Promise<Automaton> {
  const size = needles.reduce((sum, { length }) => sum + length, 1);
  /** The last byte of each state. */
  const letters = new Uint8Array(size);
  /** The first state that is one byte longer, and the next one that is as long and differs only in its last byte. */
  const children = new Int32Array(size);
  const siblings = new Int32Array(size);
  /** The longest other state in which the state ends. */
  const fallbacks = new Int32Array(size);
  const lengths = new Int32Array(size);
  /** The children of the first state by byte. */
  const first = new Int32Array(256);
  let states = 1;

  const childOf = (state: number, byte: number): number => {
    if (state === 0) return first[byte]!;
    let child = children[state]!;
    while (child !== 0 && letters[child] !== byte) child = siblings[child]!;
    return child;
  };
  const addChild = (state: number, byte: number): number => {
    const child = states++;
    letters[child] = byte;
    if (state === 0) first[byte] = child;
    siblings[child] = children[state]!;
    children[state] = child;
    return child;
  };
  const next = (from: number, byte: number): number => {
    for (let state = from;; state = fallbacks[state]!) {
      const child = childOf(state, byte);
      if (child !== 0 || state === 0) return child;
    }
  };

  for (const needle of needles) {
    let state = 0;
    await inPortions(needle.length, giveWay, (from, to) => {
      for (let at = from; at < to; at++) state = childOf(state, needle[at]!) || addChild(state, needle[at]!);
    });
    lengths[state] = needle.length;
  }

  /** All states, the shortest first. */
  const order = new Int32Array(states);
  let known = 1;
  await inPortions(states, giveWay, (from, to) => {
    for (let at = from; at < to; at++) {
      const state = order[at]!;
      for (let child = children[state]!; child !== 0; child = siblings[child]!) {
        order[known++] = child;
        const fallback = state === 0 ? 0 : next(fallbacks[state]!, letters[child]!);
        fallbacks[child] = fallback;
        if (lengths[child] === 0) lengths[child] = lengths[fallback]!;
      }
    }
  });
  return {
    search: (bytes, from, to, begin, report) => {
      let state = begin;
      for (let at = from; at < to; at++) {
        state = state === 0 ? first[bytes[at]!]! : next(state, bytes[at]!);
        if (lengths[state] !== 0) report(at + 1, lengths[state]!);
      }
      return state;
    },
  };
}
