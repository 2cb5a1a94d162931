import { parse } from 'lossless-json';
import type { Snapshot } from '../../../types/flow.ts';

/** The parsed snapshots that a worker has used last, by hash. */
export interface SnapshotCache {
  hashes: () => string[];
  /** The snapshot of a claim. `text` is null when the worker knew the hash when it claimed the run. */
  get: (hash: string, text: string | null) => Snapshot;
  /** Forgets those that were used least recently. Not to be called between a claim and the start of its runs, which may need them. */
  trim: () => void;
}

export function makeSnapshotCache(size: number): SnapshotCache {
  const cache = new Map<string, Snapshot>();
  return {
    hashes: () => [...cache.keys()],
    get: (hash, text) => {
      const known = cache.get(hash);
      // SAFETY: take_snapshot wrote it. Numbers stay exact, because lossless-json keeps them as texts.
      const snapshot = known ??
        (text === null ? undefined : parse(text) as unknown as Snapshot);
      if (snapshot === undefined) {
        throw new Error(`The claim brought no snapshot ${hash}, and the worker does not have it.`);
      }
      // A map keeps the order of insertion: what was used last is forgotten last.
      cache.delete(hash);
      cache.set(hash, snapshot);
      return snapshot;
    },
    trim: () => {
      for (const hash of [...cache.keys()].slice(0, Math.max(cache.size - size, 0))) cache.delete(hash);
    },
  };
}
