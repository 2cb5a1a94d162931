/** Bytes that are put together piece by piece, in memory that grows with them and not with the number of pieces. */
export interface ByteSink {
  /** Throws when there are more bytes than allowed. */
  add: (piece: Uint8Array) => void;
  length: () => number;
  bytes: () => Uint8Array<ArrayBuffer>;
}

const SMALLEST_BUFFER = 1_024;

/** Makes a sink for so many bytes; `tooLarge` makes what is thrown when there are more. */
export function makeByteSink(maxBytes: number, tooLarge: () => Error): ByteSink {
  let buffer = new Uint8Array(0);
  let length = 0;
  return {
    add: (piece) => {
      const needed = length + piece.length;
      if (needed > maxBytes) throw tooLarge();
      if (needed > buffer.length) {
        const grown = new Uint8Array(Math.min(maxBytes, Math.max(SMALLEST_BUFFER, 2 * needed)));
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
