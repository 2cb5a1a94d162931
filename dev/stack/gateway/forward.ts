import { createProxyServer } from 'httpxy';
import { Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { type PartName, Refusal, refuse } from './answer.ts';
import type { BodyLimit } from './body_limit.ts';
import type { Caller, Callers } from './caller.ts';
import { type BodyStore, receiveBody, type ReceivedBody } from './receive_body.ts';
import { type AnswerStore, relayAnswer } from './relay_answer.ts';

/**
 * On a second try, the pause between the headers and the body. A part that needs only the headers must answer within
 * this pause.
 */
const LATE_BODY_MS = 1_000;

/**
 * Sends a body after a pause of LATE_BODY_MS. If a part answers after it has read only the headers, its answer must
 * arrive before the first byte of the body is written.
 */
async function* lateBody(body: Readable): AsyncGenerator<Buffer, void, void> {
  await setTimeout(LATE_BODY_MS);
  yield* body as AsyncIterable<Buffer>;
}

/**
 * Tests whether a part has closed the connection before it has read the whole body.
 */
const isWriteError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && error.syscall === 'write';

/** The target of a request. */
export interface Target {
  part: PartName;
  /** The name of the target in errors. */
  name: string;
  /** Resolves with the part's Unix socket when it is listening. */
  socketPath: () => string | Promise<string>;
  limit: BodyLimit;
  /**
   * Does the work when it is the request's turn, or throws a Refusal. The work resolves with the bytes of the answer. A
   * part without turns is called at once.
   */
  inTurn?: (request: IncomingMessage, bodyBytes: number, work: () => Promise<number>) => Promise<number>;
}

export interface ForwardOptions {
  callers: Callers;
  bodies: BodyStore;
  answers: AnswerStore;
}

/**
 * Sends a request to a part, and the part's answer to the client. If the part can't be reached, answers with an error.
 */
type Forward = (request: IncomingMessage, response: ServerResponse, target: Target) => Promise<void>;

export function makeForward({ callers, bodies, answers }: ForwardOptions): Forward {
  // Each request uses a new connection. A kept-alive connection may be closed just when it is reused, and a POST must
  // not be sent twice.
  const proxy = createProxyServer({ agent: new Agent({ keepAlive: false }), xfwd: true, selfHandleResponse: true });
  /** Requests whose headers are sent at once, before any byte of the body. */
  const askedByHeaders = new WeakSet<IncomingMessage>();
  /** The function that receives the part's answer to a request. */
  const onAnswer = new WeakMap<IncomingMessage, (from: IncomingMessage) => void>();
  proxy.on('proxyReq', (sent, request) => {
    if (askedByHeaders.has(request)) sent.flushHeaders();
  });
  proxy.on('proxyRes', (from, request) => onAnswer.get(request)?.(from));

  /**
   * Resolves with the bytes of the answer when all of it is received. Rejects if the part does not answer.
   */
  const ask = (request: IncomingMessage, response: ServerResponse, body: ReceivedBody, socketPath: string) => {
    const send = (stream: Readable): Promise<number> =>
      new Promise((resolve, reject) => {
        // A part may answer and close the connection before it has read the whole body.
        stream.on('error', () => {});
        let bytesOfAnswer = () => 0;
        onAnswer.set(request, (from) => {
          // The connection carries only this answer.
          const { socket } = from;
          bytesOfAnswer = () => socket.bytesRead;
          from.once('close', () => resolve(bytesOfAnswer()));
          relayAnswer(from, response, () => callers.known(request).key, answers).catch(() => response.destroy());
        });
        const target = { socketPath, host: 'localhost', protocol: 'http:' } as never;
        proxy.web(request, response, { target, buffer: stream }).then(() => resolve(bytesOfAnswer()), reject);
      });
    // A copy of the headers, because the proxy adds some.
    const headers = { ...request.headers };
    return send(body.stream()).catch((error) => {
      if (!isWriteError(error) || response.headersSent) throw error;
      // PostgREST has refused the request by its headers and closed the connection. Node has then dropped the answer,
      // because it drops what it receives on a connection to which it can't write. The request is sent again to get the
      // answer.
      request.headers = headers;
      askedByHeaders.add(request);
      return send(Readable.from(lateBody(body.stream())));
    });
  };

  return async (request, response, { part, name, socketPath, limit, inTurn }) => {
    const verified = (): Promise<Caller> => callers.verified(request);
    let body: ReceivedBody | undefined;
    try {
      // Like nginx, receive the whole body first. Then a slow sender does not occupy a part, and the body can be sent
      // again.
      body = await receiveBody(request, limit, verified, bodies, () => {
        if (request.headers.expect !== undefined) response.writeContinue();
      });
      if (response.destroyed) return;
      // The length is now known, so the part receives the body with a length instead of chunks.
      if (request.headers['transfer-encoding'] !== undefined) {
        delete request.headers['transfer-encoding'];
        request.headers['content-length'] = String(body.length);
      }
      delete request.headers.expect;
      const received = body;
      const work = async () => {
        return response.destroyed ? 0 : await ask(request, response, received, await socketPath());
      };
      if (inTurn === undefined) await work();
      else await inTurn(request, body.length, work);
    } catch (error) {
      if (error instanceof Refusal) return refuse(request, response, error, part);
      if (response.destroyed) return;
      const headers = { 'retry-after': '1' };
      refuse(request, response, new Refusal(503, 'service_unavailable', `${name} does not answer`, { headers }), part);
    } finally {
      await body?.close();
    }
  };
}
