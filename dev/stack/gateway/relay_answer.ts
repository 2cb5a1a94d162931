import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { CallerBytes } from './byte_budget.ts';
import { type PaceRule, watchPace } from './pace.ts';
import type { Spool, SpoolFile } from './spool.ts';

export interface AnswerStore {
  spool: Spool;
  /** The bytes of answers in files. */
  files: CallerBytes;
  /** The pace at which a client must read the waiting bytes. */
  pace: PaceRule;
}

/** The most bytes of one answer that wait in memory for its client. */
const MAX_BYTES_IN_MEMORY = 131_072;

/** The number of bytes that are read from a file at a time. */
const READ_BYTES = 65_536;

/** Headers about the connection between gateway and part. */
const HOP_HEADERS = ['connection', 'keep-alive', 'transfer-encoding'];

function writeHead(from: IncomingMessage, to: ServerResponse): void {
  const headers: IncomingHttpHeaders = { ...from.headers };
  for (const name of HOP_HEADERS) delete headers[name];
  to.writeHead(from.statusCode ?? 502, from.statusMessage, headers);
}

const isEventStream = ({ headers }: IncomingMessage): boolean =>
  headers['content-type']?.startsWith('text/event-stream') ?? false;

/** Resolves when the event occurs or the client has disconnected. */
const untilClosedOr = (event: 'drain' | 'finish', to: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      to.off(event, done).off('close', done);
      resolve();
    };
    to.on(event, done).on('close', done);
  });

/**
 * Sends the answer of a part to a client. A part keeps its answer in memory until the answer is read, so the gateway
 * reads the answer at once. The bytes that the client has not read yet wait in a file. The gateway closes the
 * connection if the client reads too slowly, or if the waiting answers to one caller fill that caller's share of the
 * files. A stream of events is passed on at the speed of its client, because the part produces no more events than the
 * client reads.
 */
export async function relayAnswer(
  from: IncomingMessage,
  to: ServerResponse,
  callerKey: () => string,
  { spool, files, pace: rule }: AnswerStore,
): Promise<void> {
  writeHead(from, to);
  let file: SpoolFile | undefined;
  let inFile = 0;
  let owner = '';
  let isDraining = false;
  let isComplete = false;
  let draining: Promise<void> | undefined;

  const isWaiting = () => to.writableLength > 0 || (file?.unread() ?? 0) > 0;
  const pace = watchPace(rule, isWaiting, () => to.destroy());

  /** Writes to the client. Resolves when there is room for more. */
  const write = async (chunk: Buffer): Promise<void> => {
    const hasRoom = to.write(chunk, () => pace.moved(chunk.length));
    if (!hasRoom && !to.destroyed) await untilClosedOr('drain', to);
  };
  const drain = async (): Promise<void> => {
    while (!to.destroyed && file !== undefined && file.unread() > 0) {
      await write(await file.read(READ_BYTES));
    }
    isDraining = false;
  };
  const keep = async (chunk: Buffer): Promise<void> => {
    owner ||= callerKey();
    if (files.take(owner, chunk.length) !== undefined) return void to.destroy();
    inFile += chunk.length;
    file ??= await spool.open();
    await file.append(chunk);
    if (isDraining) return;
    isDraining = true;
    draining = drain();
  };
  try {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      if (to.destroyed) return;
      if (isEventStream(from)) await write(chunk);
      else if (!isDraining && to.writableLength < MAX_BYTES_IN_MEMORY) to.write(chunk, () => pace.moved(chunk.length));
      else await keep(chunk);
    }
    isComplete = true;
    await draining;
    if (!to.destroyed) {
      to.end();
      if (!to.writableFinished && !to.destroyed) await untilClosedOr('finish', to);
    }
  } finally {
    pace.stop();
    if (!isComplete) to.destroy();
    await draining?.catch(() => {});
    files.release(owner, inFile);
    await file?.close();
  }
}
