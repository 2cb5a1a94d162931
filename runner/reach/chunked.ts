import { NodeError } from '../engine/node.ts';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SEMICOLON = 59;

/** The most digits of a chunk's size. */
const MAX_SIZE_DIGITS = 8;

const malformed = () => new NodeError('the response has a malformed chunk');

/** Returns the value of a hexadecimal digit, or -1. */
function digitOf(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

const isBlank = (byte: number): boolean => byte === 32 || byte === 9;

/** The part of the coding that the next byte belongs to. */
type Part = 'size' | 'blanks' | 'extension' | 'size end' | 'data' | 'data end' | 'data line feed';

/**
 * Makes a decoder of the chunked transfer coding. It accepts pieces of any size. It returns the data of each piece as
 * one array, so that many small chunks do not cost an array each. Refuses a body with more than `maxFramingBytes`
 * besides its data. Source: RFC 9112, section 7.1.
 */
export function makeChunkedDecoder(maxFramingBytes: number) {
  let part: Part = 'size';
  let size = 0;
  let digits = 0;
  let framing = 0;

  /** Reads a byte of framing; true if it ends the line of the last chunk. */
  const takeFraming = (byte: number): boolean => {
    if (++framing > maxFramingBytes) {
      throw new NodeError('the response has too many small chunks or too long chunk headers');
    }
    if (part === 'data end' || part === 'data line feed') {
      if (byte === CARRIAGE_RETURN && part === 'data end') part = 'data line feed';
      else if (byte === LINE_FEED) part = 'size';
      else throw malformed();
      return false;
    }
    if (byte === LINE_FEED) {
      if (digits === 0) throw malformed();
      const isLast = size === 0;
      part = 'data';
      digits = 0;
      return isLast;
    }
    if (part === 'size end') throw malformed();
    if (byte === CARRIAGE_RETURN) part = 'size end';
    else if (part === 'extension') return false;
    else if (byte === SEMICOLON) part = 'extension';
    else if (isBlank(byte)) part = 'blanks';
    else {
      const digit = digitOf(byte);
      if (part === 'blanks' || digit === -1 || ++digits > MAX_SIZE_DIGITS) throw malformed();
      size = size * 16 + digit;
    }
    return false;
  };

  return {
    /**
     * Returns the data in a piece. `used` is undefined until the last chunk was read. Then it is the number of the
     * piece's bytes before the trailer.
     */
    decode: (piece: Uint8Array): { data: Uint8Array; used: number | undefined } => {
      // The data of a piece always fits an array of the piece's length.
      const data = new Uint8Array(piece.length);
      let length = 0;
      for (let at = 0; at < piece.length;) {
        if (part !== 'data') {
          const isOver = takeFraming(piece[at] ?? 0);
          at++;
          if (isOver) return { data: data.subarray(0, length), used: at };
          continue;
        }
        const next = piece.subarray(at, at + size);
        data.set(next, length);
        length += next.length;
        at += next.length;
        size -= next.length;
        if (size === 0) part = 'data end';
      }
      return { data: data.subarray(0, length), used: undefined };
    },
  };
}
