import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Refusal, retryLater } from './answer.ts';
import { announcedBytes, type BodyLimit, bodyTooLarge } from './body_limit.ts';
import type { CallerBytes } from './byte_budget.ts';
import type { Caller } from './caller.ts';
import { type PaceRule, watchPace } from './pace.ts';
import type { Spool, SpoolFile } from './spool.ts';

/** A received body. It can be sent several times. */
export interface ReceivedBody {
  length: number;
  stream: () => Readable;
  close: () => Promise<void>;
}

export interface BodyStore {
  spool: Spool;
  /** The bytes of bodies in memory. */
  memory: CallerBytes;
  /** The bytes of bodies in files. */
  files: CallerBytes;
  pace: PaceRule;
}

/** The largest body that stays in memory if there is room. */
export const MAX_BYTES_IN_MEMORY = 65_536;

const retrySeconds = 5;

const noRoom = (whose: 'all' | 'caller'): Refusal =>
  whose === 'caller'
    ? retryLater(429, 'too_many_requests', 'Too many large bodies of this caller are under way.', retrySeconds)
    : retryLater(503, 'service_unavailable', 'Too many large bodies are under way.', retrySeconds);

/** Collects the bytes of one body, in memory at first and then in a file. */
class Collected {
  #chunks: Buffer[] = [];
  #inMemory = 0;
  #inFile = 0;
  #file: SpoolFile | undefined;
  readonly #store: BodyStore;
  readonly #callerOf: () => Promise<Caller>;
  /** The caller whose share of the space for files the body uses. */
  #owner = '';

  constructor(store: BodyStore, callerOf: () => Promise<Caller>) {
    this.#store = store;
    this.#callerOf = callerOf;
  }

  async add(chunk: Buffer): Promise<void> {
    const { memory, spool } = this.#store;
    if (this.#file === undefined) {
      const hasRoom = this.#inMemory + chunk.length <= MAX_BYTES_IN_MEMORY &&
        memory.take('', chunk.length) === undefined;
      if (hasRoom) {
        this.#inMemory += chunk.length;
        this.#chunks.push(chunk);
        return;
      }
      this.#owner = (await this.#callerOf()).key;
      this.#file = await spool.open();
      const kept = Buffer.concat(this.#chunks);
      await this.#append(kept);
      this.#chunks = [];
      memory.release('', this.#inMemory);
      this.#inMemory = 0;
    }
    await this.#append(chunk);
  }

  async #append(chunk: Buffer): Promise<void> {
    const reached = this.#store.files.take(this.#owner, chunk.length);
    if (reached !== undefined) throw noRoom(reached);
    this.#inFile += chunk.length;
    await this.#file!.append(chunk);
  }

  get body(): ReceivedBody {
    return {
      length: this.#inMemory + this.#inFile,
      stream: () => this.#file?.stream() ?? Readable.from(this.#chunks, { objectMode: false }),
      close: () => this.close(),
    };
  }

  async close(): Promise<void> {
    this.#store.memory.release('', this.#inMemory);
    this.#store.files.release(this.#owner, this.#inFile);
    this.#inMemory = this.#inFile = 0;
    this.#chunks = [];
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }
}

const tooSlow = ({ windowMs, leastBytes }: PaceRule): Refusal =>
  new Refusal(408, 'body_timeout', `The body arrives too slowly: ${windowMs / 1000} s have passed without its end.`, {
    hint: `Send at least ${leastBytes} bytes of a body within ${windowMs / 1000} s.`,
  });

/**
 * Receives a body. Throws a Refusal as soon as the body is larger than its caller may send, arrives too slowly, or
 * finds no room; the rest is not read. If a body is not small, `callerOf` is called to find its caller. `begin` is
 * called when the announced size is allowed.
 */
export async function receiveBody(
  request: IncomingMessage,
  limit: BodyLimit,
  callerOf: () => Promise<Caller>,
  store: BodyStore,
  begin: () => void = () => {},
): Promise<ReceivedBody> {
  let allowed = limit.bytes;
  let caller: Caller | undefined;
  const assertSize = async (bytes: number): Promise<void> => {
    if (bytes <= allowed) return;
    caller ??= await callerOf();
    allowed = limit.bytesFor(caller);
    if (bytes > allowed) throw bodyTooLarge(allowed, caller, limit);
  };
  await assertSize(announcedBytes(request) ?? 0);
  begin();

  const collected = new Collected(store, callerOf);
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  let stall: (refusal: Refusal) => void = () => {};
  const stalled = new Promise<never>((_, reject) => stall = reject);
  stalled.catch(() => {});
  const pace = watchPace(store.pace, () => true, () => stall(tooSlow(store.pace)));
  try {
    let length = 0;
    for (;;) {
      const { done, value } = await Promise.race([chunks.next(), stalled]);
      if (done) return collected.body;
      pace.moved(value.length);
      length += value.length;
      await assertSize(length);
      await collected.add(value);
    }
  } catch (error) {
    await collected.close();
    throw error;
  } finally {
    pace.stop();
  }
}
