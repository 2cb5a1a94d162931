import { parse } from 'lossless-json';
import type { Snapshot } from '../../../types/flow.ts';

/** The parsed snapshots that a worker used last, by hash. */
export interface SnapshotCache {
  hashes: () => string[];
  /** The snapshot of a claim; `text` is null when its hash was known when it was claimed. */
  get: (hash: string, text: string | null) => Snapshot;
  /** Forgets those that were used least recently; not while claims that count on them are still to be begun. */
  trim: () => void;
}

export function makeSnapshotCache(size: number): SnapshotCache {
  const cache = new Map<string, Snapshot>();
  return {
    hashes: () => [...cache.keys()],
    get: (hash, text) => {
      const known = cache.get(hash);
      // SAFETY: take_snapshot wrote it; numbers stay exact, as texts.
      const snapshot = known ??
        (text === null ? undefined : parse(text) as unknown as Snapshot);
      if (snapshot === undefined) {
        throw new Error(`snapshot ${hash} is neither given nor known`);
      }
      // Used last means kept longest.
      cache.delete(hash);
      cache.set(hash, snapshot);
      return snapshot;
    },
    trim: () => {
      for (const hash of [...cache.keys()].slice(0, Math.max(cache.size - size, 0))) cache.delete(hash);
    },
  };
}
