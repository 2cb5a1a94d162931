import type { Transform } from 'node:stream';
import { createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { makeByteSink } from '../../platform/byte_sink.ts';
import { networkTurn } from '../../platform/pause.ts';
import { NodeError } from '../engine/node.ts';
import type { TakeBytes } from './byte_stream.ts';

/** Collects the body of a response as its bytes come. */
export interface BodyWriter {
  write: TakeBytes;
  /** Returns the whole body after the last bytes. */
  end: () => Promise<Uint8Array>;
  /** Cancels the decoding. Has to be called at the end of each body. */
  discard: () => void;
}

/** Resolves when this many bytes may be kept; undefined if they may be kept at once. */
export type MayKeep = (bytes: number) => Promise<void> | undefined;

/**
 * Bytes of a compressed body that are inflated at a time. Deflate makes at most 1032 bytes of one byte, so at most half
 * a MiB is inflated before the limit is checked.
 */
const PORTION_BYTES = 512;

/** The time for which bodies are inflated until the network gets a turn. */
const LONGEST_STRETCH_MS = 10;

let stretchBegan = -Infinity;
/** Number of bodies that are being decoded. */
let decoding = 0;
let line: Promise<void> = Promise.resolve();

/**
 * Resolves when one more portion may be inflated. Without this wait, the streams would inflate all arrived bytes of all
 * requests in one turn of the event loop. Other runs would have to wait for its end. Therefore the portions wait in a
 * queue, which gives the network a turn each time LONGEST_STRETCH_MS are over.
 */
function waitForTurn(): Promise<void> {
  return line = line.then(async () => {
    if (performance.now() - stretchBegan < LONGEST_STRETCH_MS) return;
    await networkTurn();
    stretchBegan = performance.now();
  });
}

/** Counts a body. If no other one is being decoded, a stretch begins, so a short body does not wait. */
function beginDecoding(): void {
  if (decoding === 0) stretchBegan = performance.now();
  decoding += 1;
}

export const tooLarge = (maxBytes: number) => new NodeError(`the response is larger than ${maxBytes} bytes`);

/** Makes a writer that keeps a body as it was sent. `expectedBytes` is the body's length, if known. */
function makePlainWriter(maxBytes: number, mayKeep: MayKeep, expectedBytes?: number): BodyWriter {
  const sink = makeByteSink(maxBytes, () => tooLarge(maxBytes), expectedBytes);
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

/** Makes the decoder of a coding. Gets the first byte of the body. */
type MakeDecoder = (first: number) => Transform;

const gunzip: MakeDecoder = () => createGunzip();

/**
 * The content codings by name. Source: RFC 9110, section 8.4.1. A body of the coding deflate has the format zlib, but
 * some servers send it without zlib's header, whose first byte ends in the four bits 1000. No compressor makes a body
 * without header that begins with these bits.
 *
 * Brotli is no member: some versions of Deno decode a portion to its end, however large, before it can be stopped.
 */
const DECODERS = new Map<string, MakeDecoder>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', (first) => (first & 15) === 8 ? createInflate() : createInflateRaw()],
]);

/** The most codings of one body. */
const MAX_CODINGS = 3;

/** A decoder that runs, and passes on what it makes. */
interface RunningDecoder {
  write: (portion: Uint8Array) => Promise<void>;
  /** Resolves when everything was passed on. */
  end: () => Promise<void>;
  stop: () => void;
}

function runDecoder(decoder: Transform, take: TakeBytes): RunningDecoder {
  const passOn = async (): Promise<void> => {
    for await (const piece of decoder) await take(piece);
  };
  const reading = passOn();
  /** Rejects if reading fails, so that a write does not wait for ever. Never resolves. */
  const failure = reading.then(() => new Promise<never>(() => {}));
  for (const promise of [reading, failure]) promise.catch(() => {});
  decoder.on('error', () => {});
  return {
    write: async (portion) => {
      const written = new Promise<void>((resolve, reject) =>
        decoder.write(portion, (error) => error ? reject(error) : resolve())
      );
      // If reading has failed, too, writing failed for that reason, so the error of reading is reported.
      await Promise.race([written.catch(() => failure), failure]);
    },
    end: async () => {
      decoder.end();
      await reading;
    },
    stop: () => void decoder.destroy(),
  };
}

/**
 * Makes a writer that decodes a coding portion by portion, and writes the decoded bytes to `inner`. It stops at the
 * limit. The coded body is not kept.
 */
function makeDecodingWriter(coding: string, inner: BodyWriter, maxBytes: number): BodyWriter {
  const makeDecoder = DECODERS.get(coding);
  if (makeDecoder === undefined) throw new NodeError(`the content-encoding ${coding} is not supported`);
  const malformed = (error: unknown): Error =>
    error instanceof NodeError
      ? error
      : new NodeError(`the content-encoding is ${coding}, but the body is not valid ${coding}`);
  let decodedBytes = 0;
  const take: TakeBytes = (bytes) => {
    decodedBytes += bytes.length;
    if (decodedBytes > maxBytes) throw tooLarge(maxBytes);
    return inner.write(bytes);
  };
  /** Undefined while the body is empty. An empty body is valid in every coding. */
  let running: RunningDecoder | undefined;
  const begin = (first: number): RunningDecoder => {
    beginDecoding();
    return runDecoder(makeDecoder(first), take);
  };
  return {
    write: async (bytes) => {
      if (bytes.length === 0) return;
      running ??= begin(bytes[0]!);
      try {
        for (let at = 0; at < bytes.length; at += PORTION_BYTES) {
          await waitForTurn();
          // `slice` copies the bytes, because their memory belongs to the reader of the connection.
          await running.write(bytes.slice(at, at + PORTION_BYTES));
        }
      } catch (error) {
        throw malformed(error);
      }
    },
    end: async () => {
      try {
        await running?.end();
      } catch (error) {
        throw malformed(error);
      }
      return await inner.end();
    },
    discard: () => {
      if (running !== undefined) decoding -= 1;
      running?.stop();
      running = undefined;
      inner.discard();
    },
  };
}

/** Makes the writer that keeps a body with these headers, after its content codings were decoded. */
export function makeBodyWriter(headers: { [name: string]: string }, maxBytes: number, mayKeep: MayKeep): BodyWriter {
  const length = headers['transfer-encoding'] === undefined ? Number(headers['content-length']) : Number.NaN;
  const isKnown = codingsOf(headers).length === 0 && length <= maxBytes;
  const plain = makePlainWriter(maxBytes, mayKeep, isKnown ? length : undefined);
  return decodeBody(headers, maxBytes, plain);
}

function codingsOf(headers: { [name: string]: string }): string[] {
  return (headers['content-encoding'] ?? '').toLowerCase().split(',').map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
}

/**
 * Makes the writer of a body with these headers, which passes the decoded bytes on to `plain`. It decodes content
 * codings, because some servers use them without being asked, for example for stored files. Throws a NodeError for
 * unknown codings.
 */
export function decodeBody(headers: { [name: string]: string }, maxBytes: number, plain: BodyWriter): BodyWriter {
  const codings = codingsOf(headers);
  if (codings.length > MAX_CODINGS) {
    throw new NodeError(`the response has more than ${MAX_CODINGS} content-encodings`);
  }
  // The header names the codings in the order in which the server applied them, so the last is decoded first.
  return codings.reduce<BodyWriter>((inner, coding) => makeDecodingWriter(coding, inner, maxBytes), plain);
}
