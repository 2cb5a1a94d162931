import { unlessAborted } from './connection.ts';

/** The bytes that one request holds, of those that several hold together. */
export interface Holder {
  /** Resolves when so many bytes in all may be held: undefined for at once. Throws the signal's reason. */
  hold: (bytes: number, signal: AbortSignal) => Promise<void> | undefined;
  /** Gives all of them back. */
  release: () => void;
}

export interface ByteBudget {
  /** A holder of no bytes yet; those that enter earlier go before those that enter later. */
  enter: () => Holder;
  /** Bytes that are held now, but for what everybody may hold. */
  heldBytes: () => number;
  /** Nobody who entered is left. */
  isEmpty: () => boolean;
}

export interface ByteBudgetOptions {
  totalBytes: number;
  /** Bytes that one holder can come to want. */
  oneBytes: number;
  /** Bytes that each may hold without asking: what most answers have, so that they wait for nobody's large ones. */
  freeBytes: number;
}

interface Place {
  bytes: number;
  wanted: number;
  wake: () => void;
}

/**
 * Makes a budget of bytes that many hold together. Whoever waits for more keeps what it has, so all could wait for each other: the
 * oldest holder therefore has a reserve that no other touches, ends, and leaves the reserve to the next.
 */
export function makeByteBudget({ totalBytes, oneBytes, freeBytes }: ByteBudgetOptions): ByteBudget {
  const sharedBytes = Math.max(totalBytes - oneBytes, 0);
  /** In the order in which they entered. */
  const places = new Set<Place>();
  const counted = (bytes: number) => Math.max(bytes - freeBytes, 0);
  const oldest = () => places.values().next().value;
  const held = () => [...places].reduce((sum, { bytes }) => sum + counted(bytes), 0);

  const mayHold = (place: Place): boolean => {
    const first = oldest();
    if (place.wanted <= freeBytes || place === first) return true;
    const others = held() - counted(place.bytes) - (first === undefined ? 0 : counted(first.bytes));
    return others + counted(place.wanted) <= sharedBytes;
  };

  /** Lets on whoever may hold what it waits for, those that entered earlier first. */
  const wakeAll = () => {
    for (const place of places) {
      if (place.wanted <= place.bytes || !mayHold(place)) continue;
      place.bytes = place.wanted;
      place.wake();
    }
  };

  return {
    heldBytes: held,
    isEmpty: () => places.size === 0,
    enter: () => {
      const place: Place = { bytes: 0, wanted: 0, wake: () => {} };
      places.add(place);
      return {
        hold: (bytes, signal) => {
          if (bytes <= place.bytes) return undefined;
          place.wanted = bytes;
          if (mayHold(place)) {
            place.bytes = bytes;
            return undefined;
          }
          return unlessAborted(new Promise<void>((resolve) => place.wake = resolve), signal);
        },
        release: () => {
          places.delete(place);
          wakeAll();
        },
      };
    },
  };
}
