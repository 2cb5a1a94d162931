import { createHash } from 'node:crypto';

/** Choices that are determined by a seed. */
export interface Random {
  /** Returns a number from 0 up to, but not including, 1. */
  next: () => number;
  /** Returns a whole number from `low` to `high`, both included. */
  between: (low: number, high: number) => number;
  chance: (probability: number) => boolean;
  pick: <T>(items: readonly T[]) => T;
  /** Returns one of the names, with a probability in proportion to its weight. */
  weighted: <Name extends string>(weights: { readonly [name in Name]: number }) => Name;
  shuffled: <T>(items: readonly T[]) => T[];
  /** Returns text of 128 bits. */
  text: () => string;
}

/**
 * Makes the choices of one part of a soak. The choices depend only on the part and the seed, not on what other parts
 * choose. Source of the generator: G. Marsaglia, Xorshift RNGs, 2003 (xorshift128).
 */
export function makeRandom(seed: number, part: string): Random {
  const digest = createHash('sha256').update(`${seed} ${part}`).digest();
  let [x = 1, y = 2, z = 3, w = 4] = [0, 4, 8, 12].map((offset) => digest.readUInt32LE(offset));
  const bits = (): number => {
    const mixed = x ^ (x << 11);
    [x, y, z] = [y, z, w];
    w = (w ^ (w >>> 19) ^ mixed ^ (mixed >>> 8)) >>> 0;
    return w;
  };
  const next = () => bits() / 2 ** 32;
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  const pick = <T>(items: readonly T[]): T => {
    if (items.length === 0) throw new Error(`${part} has nothing to choose from`);
    // SAFETY: `between` stays within the list.
    return items[between(0, items.length - 1)] as T;
  };
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick,
    weighted(weights) {
      const entries = Object.entries(weights) as [keyof typeof weights, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      const chosen = entries.find(([, weight]) => (left -= weight) < 0) ?? entries.at(-1);
      if (chosen === undefined) throw new Error(`${part} has nothing to choose from`);
      return chosen[0];
    },
    shuffled(items) {
      const rest = [...items];
      return items.map(() => rest.splice(between(0, rest.length - 1), 1)[0]!);
    },
    text: () => [bits(), bits(), bits(), bits()].map((part) => part.toString(16).padStart(8, '0')).join(''),
  };
}
