import { parseStoredJson } from '../../types/values/stored_json.ts';
import type { Snapshot } from '../../types/flow.ts';

/** The most recently used snapshots of a worker, parsed, by hash. */
interface SnapshotCache {
  hashes: () => string[];
  /**
   * Returns the snapshot of a claim. `text` is null if the worker reported the hash as known when it claimed the run.
   */
  get: (hash: string, text: string | null) => Snapshot;
  /**
   * Drops the least recently used snapshots. Must not be called between a claim and the start of its runs, which may
   * need the dropped snapshots.
   */
  trim: () => void;
}

/** Makes a cache with limits of the number of snapshots and of the characters of their texts. */
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
      // SAFETY: the SQL function take_snapshot wrote the text. Numbers stay exact, because they are kept as texts.
      const snapshot = known?.snapshot ?? parseStoredJson(text ?? '') as unknown as Snapshot;
      const size = known?.characters ?? text?.length ?? 0;
      // A map keeps the order of insertion, so the last used snapshot is dropped last.
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
