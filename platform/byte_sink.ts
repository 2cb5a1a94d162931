/** Collects bytes piece by piece. The memory that it uses depends on the bytes, not on the number of pieces. */
interface ByteSink {
  /** Throws when there are more bytes than allowed. */
  add: (piece: Uint8Array) => void;
  length: () => number;
  bytes: () => Uint8Array<ArrayBuffer>;
}

const SMALLEST_BUFFER = 1_024;

/**
 * Makes a sink for at most `maxBytes`. If more bytes come, `tooLarge` makes the error. If no more than `expectedBytes`
 * come, the first buffer holds them all and need not grow.
 */
export function makeByteSink(maxBytes: number, tooLarge: () => Error, expectedBytes = SMALLEST_BUFFER): ByteSink {
  let buffer = new Uint8Array(0);
  let length = 0;
  return {
    add: (piece) => {
      const needed = length + piece.length;
      if (needed > maxBytes) throw tooLarge();
      if (needed > buffer.length) {
        const room = length === 0 ? Math.max(expectedBytes, needed) : 2 * needed;
        const grown = new Uint8Array(Math.min(maxBytes, room));
        grown.set(buffer.subarray(0, length));
        buffer = grown;
      }
      buffer.set(piece, length);
      length = needed;
    },
    length: () => length,
    bytes: () => buffer.subarray(0, length),
  };
}
