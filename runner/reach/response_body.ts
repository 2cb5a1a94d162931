import { makeByteSink } from '../../functions/_shared/byte_sink.ts';
import { nextTurn } from '../../functions/_shared/pause.ts';
import { NodeError } from '../engine/node.ts';
import type { TakeBytes } from './byte_stream.ts';

/** Collects the body of a response as its bytes come. */
export interface BodyWriter {
  write: TakeBytes;
  /** Returns the whole body after the last bytes. */
  end: () => Promise<Uint8Array>;
  /** Cancels the decoding. */
  discard: () => void;
}

/** Resolves when this many bytes may be kept; undefined if they may be kept at once. */
export type MayKeep = (bytes: number) => Promise<void> | undefined;

/**
 * Bytes of a compressed body that are inflated at a time. Deflate makes at most 1032 bytes of one byte, so at most half
 * a MiB is inflated before the limit is checked.
 */
const PORTION_BYTES = 512;

/** The time for which bodies are inflated until the event loop gets a turn for other work. */
const LONGEST_STRETCH_MS = 5;

let stretchBegan = -Infinity;
let line: Promise<void> = Promise.resolve();

/**
 * Resolves when one more portion may be inflated. Without this wait, the streams would inflate all arrived bytes of all
 * requests in one turn of the event loop. Other runs would have to wait for its end. Therefore the portions wait in a
 * queue, which pauses for one turn of the event loop each time LONGEST_STRETCH_MS are over.
 */
function waitForTurn(): Promise<void> {
  return line = line.then(async () => {
    if (performance.now() - stretchBegan < LONGEST_STRETCH_MS) return;
    await nextTurn();
    stretchBegan = performance.now();
  });
}

/** Makes a writer that keeps a body as it was sent. `expectedBytes` is the body's length, if known. */
function makePlainWriter(maxBytes: number, mayKeep: MayKeep, expectedBytes?: number): BodyWriter {
  const tooLarge = () => new NodeError(`the response is larger than ${maxBytes} bytes`);
  const sink = makeByteSink(maxBytes, tooLarge, expectedBytes);
  return {
    write: (bytes) => {
      const wait = mayKeep(Math.max(sink.length() + bytes.length, expectedBytes ?? 0));
      if (wait === undefined) return sink.add(bytes);
      return wait.then(() => sink.add(bytes));
    },
    end: () => Promise.resolve(sink.bytes()),
    discard: () => {},
  };
}

/**
 * Makes a writer that inflates gzip or deflate portion by portion and stops at the limit. The compressed body is not
 * kept.
 */
function makeInflatingWriter(coding: 'gzip' | 'deflate', maxBytes: number, mayKeep: MayKeep): BodyWriter {
  const inflated = makePlainWriter(maxBytes, mayKeep);
  const { readable, writable } = new DecompressionStream(coding);
  const writer = writable.getWriter();
  const reader = readable.getReader();
  let isEmpty = true;

  const malformed = (error: unknown): Error =>
    error instanceof NodeError
      ? error
      : new NodeError(`the content-encoding is ${coding}, but the body is not valid ${coding}`);
  const readAll = async (): Promise<void> => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) await inflated.write(next.value);
  };
  const reading = readAll();
  /** Rejects if reading fails, so that a write does not wait for ever. Never resolves. */
  const failure = reading.then(() => new Promise<never>(() => {}));
  for (const promise of [reading, failure, writer.closed, reader.closed]) promise.catch(() => {});

  return {
    write: async (bytes) => {
      isEmpty &&= bytes.length === 0;
      try {
        for (let at = 0; at < bytes.length; at += PORTION_BYTES) {
          await waitForTurn();
          // `slice` copies the bytes, because their memory belongs to the reader of the connection.
          await Promise.race([writer.write(bytes.slice(at, at + PORTION_BYTES)), failure]);
        }
      } catch (error) {
        // If reading has failed, too, writing failed for that reason, so the error of reading is reported.
        throw malformed(await reading.then(() => error, (cause: unknown) => cause));
      }
    },
    end: async () => {
      if (isEmpty) return new Uint8Array(0);
      try {
        await Promise.all([Promise.race([writer.close(), failure]), reading]);
      } catch (error) {
        throw malformed(error);
      }
      return await inflated.end();
    },
    discard: () => {
      // Each of the two calls rejects if the stream has ended already.
      reader.cancel().catch(() => {});
      writer.abort().catch(() => {});
    },
  };
}

/**
 * Makes the writer for a body with these headers. The writer supports gzip and deflate, because some servers use these
 * content codings without being asked, for example for stored files. Throws a NodeError for other codings.
 */
export function makeBodyWriter(headers: { [name: string]: string }, maxBytes: number, mayKeep: MayKeep): BodyWriter {
  const coding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  const length = headers['transfer-encoding'] === undefined ? Number(headers['content-length']) : Number.NaN;
  if (coding === 'identity') return makePlainWriter(maxBytes, mayKeep, length <= maxBytes ? length : undefined);
  if (coding !== 'gzip' && coding !== 'deflate') throw new NodeError(`the content-encoding ${coding} is not supported`);
  return makeInflatingWriter(coding, maxBytes, mayKeep);
}
