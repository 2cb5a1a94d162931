import { makeByteSink } from '../../_shared/byte_sink.ts';
import { nextTurn } from '../../_shared/pause.ts';
import { NodeError } from '../engine/node.ts';
import type { TakeBytes } from './byte_stream.ts';

/** Puts the body of a response together as its bytes come. */
export interface BodyWriter {
  write: TakeBytes;
  /** The whole body, once nothing more comes. */
  end: () => Promise<Uint8Array>;
  /** Ends what is still going on. */
  discard: () => void;
}

/** Asks whether so many bytes may be kept; undefined for at once. */
export type MayKeep = (bytes: number) => Promise<void> | undefined;

/**
 * Bytes of a compressed body that are inflated at a time. Deflate makes 1032 of one at most, so half a MiB may come of it before the
 * limit is looked at.
 */
const SLICE_BYTES = 512;

/** Milliseconds that all bodies together are inflated for before other work has its turn. */
const LONGEST_STRETCH_MS = 5;

let stretchBegan = -Infinity;
let line: Promise<void> = Promise.resolve();

/**
 * Resolves when one more slice may be inflated. Streams inflate within one turn of the event loop whatever has come, of all requests,
 * and the runs of others wait meanwhile. So slices line up, and the line pauses for a turn after so long a stretch.
 */
function lineUp(): Promise<void> {
  return line = line.then(async () => {
    if (performance.now() - stretchBegan < LONGEST_STRETCH_MS) return;
    await nextTurn();
    stretchBegan = performance.now();
  });
}

/** A body as it is, of which so many bytes are expected where that is known. */
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

/** Undoes gzip or deflate as the bytes come, slice by slice, and stops at the limit. The compressed body is not kept. */
function makeInflatingWriter(coding: 'gzip' | 'deflate', maxBytes: number, mayKeep: MayKeep): BodyWriter {
  const inflated = makePlainWriter(maxBytes, mayKeep);
  const { readable, writable } = new DecompressionStream(coding);
  const writer = writable.getWriter();
  const reader = readable.getReader();
  let isEmpty = true;

  const malformed = (error: unknown): Error =>
    error instanceof NodeError ? error : new NodeError(`the response is not ${coding}, as it says`);
  const readAll = async (): Promise<void> => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) await inflated.write(next.value);
  };
  const reading = readAll();
  /** Rejects with what ends the reading before all is written. */
  const failure = reading.then(() => new Promise<never>(() => {}));
  for (const promise of [reading, failure, writer.closed, reader.closed]) promise.catch(() => {});

  return {
    write: async (bytes) => {
      isEmpty &&= bytes.length === 0;
      try {
        for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
          await lineUp();
          // A copy: the piece belongs to whoever reads the connection.
          await Promise.race([writer.write(bytes.slice(at, at + SLICE_BYTES)), failure]);
        }
      } catch (error) {
        // The stream's own error follows from that of the reader, where both have one.
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
      // Both fail where nothing is left to be ended.
      reader.cancel().catch(() => {});
      writer.abort().catch(() => {});
    },
  };
}

/**
 * The writer for the body behind these headers, of a content coding of those that servers apply unasked, as to stored files. Throws a NodeError for
 * another one.
 */
export function makeBodyWriter(headers: { [name: string]: string }, maxBytes: number, mayKeep: MayKeep): BodyWriter {
  const coding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  const length = headers['transfer-encoding'] === undefined ? Number(headers['content-length']) : Number.NaN;
  if (coding === 'identity') return makePlainWriter(maxBytes, mayKeep, length <= maxBytes ? length : undefined);
  if (coding !== 'gzip' && coding !== 'deflate') throw new NodeError(`the content-encoding ${coding} is not supported`);
  return makeInflatingWriter(coding, maxBytes, mayKeep);
}
