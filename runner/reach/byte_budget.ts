import { unlessAborted } from './connection.ts';

/** The bytes that one request holds of a shared budget. */
export interface Holder {
  /**
   * Resolves when the request may hold this many bytes in total. Returns undefined if the request need not wait.
   * Rejects with the signal's reason if the signal is aborted.
   */
  hold: (bytes: number, signal: AbortSignal) => Promise<void> | undefined;
  /** Returns all bytes of the holder to the budget. */
  release: () => void;
}

export interface ByteBudget {
  /** Makes a holder without bytes. Earlier holders have priority. */
  enter: () => Holder;
  /** Returns the number of bytes that are held now, without the free bytes of each holder. */
  heldBytes: () => number;
  /** True if all holders have released. */
  isEmpty: () => boolean;
}

interface ByteBudgetOptions {
  totalBytes: number;
  /** The most bytes that one holder can ask for. */
  oneBytes: number;
  /**
   * Bytes that each holder may hold without waiting. Most answers are smaller than this, so most requests never wait.
   */
  freeBytes: number;
}

interface Entry {
  bytes: number;
  wanted: number;
  wake: () => void;
}

/**
 * Makes a budget of bytes that many holders share. A holder keeps its bytes while it waits for more, so without a
 * reserve, holders could block each other for ever. Only the oldest holder may use the reserve, so it never waits. When
 * it releases its bytes, the next holder gets the reserve.
 */
export function makeByteBudget({ totalBytes, oneBytes, freeBytes }: ByteBudgetOptions): ByteBudget {
  const sharedBytes = Math.max(totalBytes - oneBytes, 0);
  /** Holders, in the order in which they entered. */
  const entries = new Set<Entry>();
  const counted = (bytes: number) => Math.max(bytes - freeBytes, 0);
  const oldest = () => entries.values().next().value;
  const held = () => [...entries].reduce((sum, { bytes }) => sum + counted(bytes), 0);

  const mayHold = (entry: Entry): boolean => {
    const first = oldest();
    if (entry.wanted <= freeBytes || entry === first) return true;
    const others = held() - counted(entry.bytes) - (first === undefined ? 0 : counted(first.bytes));
    return others + counted(entry.wanted) <= sharedBytes;
  };

  /** Wakes the holders that can get the bytes they wait for, the oldest first. */
  const wakeAll = () => {
    for (const entry of entries) {
      if (entry.wanted <= entry.bytes || !mayHold(entry)) continue;
      entry.bytes = entry.wanted;
      entry.wake();
    }
  };

  return {
    heldBytes: held,
    isEmpty: () => entries.size === 0,
    enter: () => {
      const entry: Entry = { bytes: 0, wanted: 0, wake: () => {} };
      entries.add(entry);
      return {
        hold: (bytes, signal) => {
          if (bytes <= entry.bytes) return undefined;
          entry.wanted = bytes;
          if (mayHold(entry)) {
            entry.bytes = bytes;
            return undefined;
          }
          return unlessAborted(new Promise<void>((resolve) => entry.wake = resolve), signal);
        },
        release: () => {
          entries.delete(entry);
          wakeAll();
        },
      };
    },
  };
}
