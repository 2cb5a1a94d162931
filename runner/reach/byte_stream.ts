import { NodeError } from '../engine/node.ts';
import { TransientError } from '../engine/failures/transient_error.ts';

const NOTHING = new Uint8Array(0);
const LINE_FEED = 10;

const endedEarly = () => new TransientError('the connection was closed before the response was complete');

/** Receives bytes in order. If it returns a promise, the reader reads on when the promise resolves. */
export type TakeBytes = (bytes: Uint8Array) => void | Promise<void>;

/** Makes a reader of lines, of a given number of bytes, and of whole pieces, from a stream of pieces of any size. */
export function makeByteReader(pieces: AsyncIterator<Uint8Array>) {
  let rest: Uint8Array = NOTHING;

  /** Reads until there are bytes; false at the end of the stream. */
  const fill = async (): Promise<boolean> => {
    while (rest.length === 0) {
      const next = await pieces.next();
      if (next.done) return false;
      rest = next.value;
    }
    return true;
  };

  return {
    /**
     * Reads a line without its end, as Latin-1. Throws a NodeError if the line is longer than allowed or has no end.
     */
    line: async (maxBytes: number): Promise<string> => {
      let line = '';
      for (;;) {
        if (!(await fill())) throw endedEarly();
        const end = rest.indexOf(LINE_FEED);
        const part = end === -1 ? rest : rest.subarray(0, end);
        if (line.length + part.length > maxBytes) throw new NodeError('the head of the response is too large');
        for (const byte of part) line += String.fromCharCode(byte);
        rest = rest.subarray(end === -1 ? rest.length : end + 1);
        if (end !== -1) return line.endsWith('\r') ? line.slice(0, -1) : line;
      }
    },
    /** Passes on the next `count` bytes; with Infinity, all bytes up to the end of the stream. */
    copy: async (count: number, take: TakeBytes): Promise<void> => {
      let missing = count;
      while (missing > 0) {
        if (!(await fill())) {
          if (count === Infinity) return;
          throw endedEarly();
        }
        const piece = rest.subarray(0, missing);
        rest = rest.subarray(piece.length);
        missing -= piece.length;
        await take(piece);
      }
    },
    /**
     * Passes whole pieces to `use` until `use` returns how many bytes of the last piece it has used. The next read
     * begins after these bytes.
     */
    pieces: async (use: (piece: Uint8Array) => Promise<number | undefined>): Promise<void> => {
      for (;;) {
        if (!(await fill())) throw endedEarly();
        const piece = rest;
        rest = NOTHING;
        const used = await use(piece);
        if (used === undefined) continue;
        rest = piece.subarray(used);
        return;
      }
    },
  };
}

export type ByteReader = ReturnType<typeof makeByteReader>;
