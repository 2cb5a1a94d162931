import { parseStoredJson } from '../../../types/values/stored_json.ts';
import type { Snapshot } from '../../../types/flow.ts';

/** The parsed snapshots that a worker has used last, by hash. */
export interface SnapshotCache {
  hashes: () => string[];
  /** The snapshot of a claim. `text` is null when the worker knew the hash when it claimed the run. */
  get: (hash: string, text: string | null) => Snapshot;
  /** Forgets those that were used least recently. Not to be called between a claim and the start of its runs, which may need them. */
  trim: () => void;
}

/** Makes a cache of at most so many snapshots, and so many characters of their texts. */
export function makeSnapshotCache(size: number, maxCharacters: number): SnapshotCache {
  const cache = new Map<string, { snapshot: Snapshot; characters: number }>();
  let characters = 0;
  const forget = (hash: string) => {
    characters -= cache.get(hash)?.characters ?? 0;
    cache.delete(hash);
  };
  return {
    hashes: () => [...cache.keys()],
    get: (hash, text) => {
      const known = cache.get(hash);
      if (known === undefined && text === null) {
        throw new Error(`The claim brought no snapshot ${hash}, and the worker does not have it.`);
      }
      // SAFETY: take_snapshot wrote it. Numbers stay exact, because they are kept as texts.
      const snapshot = known?.snapshot ?? parseStoredJson(text ?? '') as unknown as Snapshot;
      const size = known?.characters ?? text?.length ?? 0;
      // A map keeps the order of insertion: what was used last is forgotten last.
      forget(hash);
      cache.set(hash, { snapshot, characters: size });
      characters += size;
      return snapshot;
    },
    trim: () => {
      for (const hash of cache.keys()) {
        if (cache.size <= size && characters <= maxCharacters) return;
        forget(hash);
      }
    },
  };
}
